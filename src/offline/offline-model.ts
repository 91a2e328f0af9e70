import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type {
  ModelDelta,
  ModelErrorCode,
  ModelReply,
  ModelRequest,
} from '../../machines/vocabulary/model.ts';
import { measureRequest } from '../model/measure-request.ts';
import type { Model } from '../model/model.types.ts';
import { harmlessly } from '../support/harmlessly.ts';
import { localeOf } from './language.ts';
import { nextMove } from './plan.ts';
import { type Spoken, speak } from './speak.ts';
import { readTranscript } from './transcript.ts';
import { readWishes } from './wishes.ts';

const NAME = 'offline rules (no language model)';
const DELTA_LENGTH = 12;

/**
 * A model without a language model: fixed rules, deterministic, no network, no key. It works from
 * the same requests as any model, in either protocol, in Chinese and English: looks questions up
 * with `knowledge_search` and quotes what was found with its source (or says that it does not
 * know), and turns wishes into calls of `image_scaling` and `echo`, several of them along a
 * `todo_write` list. It calls only tools that the request offers, never repeats a call, and
 * reports refusals and failures as such. It reports no tokens.
 *
 * What happened it takes from the messages' `origin`, which the shipped protocols give; what follows a
 * reply without one is not guessed at: `generate` rejects with `bad_request`.
 */
export function offlineModel(): Model {
  return {
    name: NAME,
    async generate(request, { signal, onDelta }) {
      throwIfAborted(signal, request);
      throwIfUntold(request);
      const spoken = replyTo(request);
      for (const delta of deltasOf(spoken)) {
        throwIfAborted(signal, request);
        harmlessly(() => onDelta?.(delta));
        // Lets others run between two pieces, as a network does.
        await Promise.resolve();
      }
      throwIfAborted(signal, request);
      return {
        ...spoken,
        finishReason: spoken.calls.length > 0 ? 'tool_calls' : 'stop',
        model: NAME,
        requests: [{ ...measureRequest(request), usage: null, error: null, ms: 0 }],
      } satisfies ModelReply;
    },
  };
}

/** The reply of the rules to a request. Pure. */
function replyTo(request: ModelRequest): Spoken {
  const transcript = readTranscript(request);
  const move = nextMove(readWishes(transcript.prompt), transcript);
  return speak(move, transcript, localeOf(transcript.prompt));
}

function* deltasOf({ text, calls }: Spoken): Generator<ModelDelta> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += DELTA_LENGTH) {
    yield { kind: 'text', text: characters.slice(at, at + DELTA_LENGTH).join('') };
  }
  for (const [index, call] of calls.entries()) {
    yield { kind: 'call', index, tool: call.name, text: call.arguments };
  }
}

function throwIfAborted(signal: AbortSignal, request: ModelRequest): void {
  if (signal.aborted) throw failure('aborted', 'cancelled', request);
}

/**
 * What follows a reply may be the result of a call: taken for a person's words, a tool's text would
 * give orders, and the call would be made again.
 */
function throwIfUntold(request: ModelRequest): void {
  const { messages } = request;
  const firstReply = messages.findIndex(({ role }) => role === 'assistant');
  if (firstReply < 0) return;
  const at = messages.findIndex(
    (message, index) =>
      index > firstReply && message.role !== 'assistant' && message.origin === undefined,
  );
  if (at < 0) return;
  const cause = `messages[${at}] follows a reply and has no origin`;
  const advice = 'Use native-calls or react-text, or have your protocol give it one.';
  throw failure('bad_request', `${cause}. ${advice}`, request);
}

function failure(code: ModelErrorCode, cause: string, request: ModelRequest) {
  const record = { ...measureRequest(request), usage: null, error: `${code}: ${cause}`, ms: 0 };
  return new AgentHubError<ModelErrorCode>(code, `${NAME}: ${cause}`, {
    retryable: false,
    requests: [record],
  });
}
