import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentHubError, toErrorData } from '../../../machines/vocabulary/errors.ts';
import type { RunStore } from '../../run/store/store.types.ts';
import type { RunPage } from '../api.types.ts';
import { loadAssets } from './assets.ts';
import { type CommandName, createCommands } from './commands.ts';
import { createGoingOn, type RestoreRun } from './going-on.ts';
import { listRuns } from './list-runs.ts';
import { createLive } from './live.ts';
import { filesOf, thumbnail } from './pictures.ts';
import { readBody } from './read-body.ts';
import { toDetail, toRunState } from './run-state.ts';
import { findIntruder, hasToken, type Refusal, refuse, SAFE_HEADERS, sendJson } from './safety.ts';
import { watchRuns } from './watch-runs.ts';

export interface InspectorHandlerOptions {
  readonly store: RunStore;
  /** The exact `Host` headers under which the page is reached, such as `agents.example.com`. */
  readonly hosts: readonly string[];
  /** What every request to the data must carry as a Bearer token. */
  readonly token?: string;
  /**
   * The host's own authorization, asked for every request to the data after the token: who it is,
   * for the log, or null to refuse. One of `token` and `authorize` is needed.
   */
  readonly authorize?: (request: IncomingMessage) => Promise<string | null> | string | null;
  /**
   * Takes up a run that nobody drives when a person says that it goes on: give `agent.restore` of
   * the agent that such runs belong to. They are driven in this process then. Default: nobody does.
   */
  readonly restore?: RestoreRun;
  /** Where the handler is mounted, such as `/inspector`. Default the root. */
  readonly basePath?: string;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** Answers requests of `node:http`. */
export interface InspectorHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends every open stream, so that the server can close; lets go of the runs it took up. */
  close(): Promise<void>;
}

/** Who answers in the page when the host does not say. */
const WEB = 'web';

const notFound = { status: 404, code: 'not_found', message: 'There is nothing here.' };
const noToken = {
  status: 401,
  code: 'no_token',
  message: 'Open the page with the address that was printed at the start: it carries the token.',
};

const notAuthorized = {
  status: 401,
  code: 'not_authorized',
  message: 'You may not see this: sign in where this page is served from.',
};

const cannotAuthorize = {
  status: 500,
  code: 'authorization_failed',
  message: 'Who you are could not be found out.',
};

/** The statuses of what may happen; anything else is a fault of ours, 500. */
const STATUS_OF: Readonly<Record<string, number>> = {
  run_unknown: 404,
  file_changed: 409,
  not_an_image: 422,
  damaged: 422,
  too_large: 422,
};

/**
 * The inspector as a handler for a host's own server. It reads the store and writes nothing but
 * answers, unless `restore` lets it take up runs.
 * @throws AgentHubError `page_not_built`, or `invalid_options` without `token` and `authorize` or
 * with a `basePath` that is none.
 */
export function createInspectorHandler(options: InspectorHandlerOptions): InspectorHandler {
  const { store, token, authorize, restore, now = Date.now } = options;
  const basePath = toBasePath(options.basePath ?? '');
  if (token === undefined && authorize === undefined)
    throw new AgentHubError(
      'invalid_options',
      'createInspectorHandler: give a token, authorize, or both.',
    );
  const assets = loadAssets();
  const goingOn = restore === undefined ? null : createGoingOn(restore);
  const watcher = watchRuns(store, { takesUp: goingOn !== null });
  const list = listRuns(store);
  const live = createLive(watcher, list);
  const command = createCommands({ store, watcher, goingOn, now });

  const whoIs = async (request: IncomingMessage): Promise<string | Refusal> => {
    if (token !== undefined && !hasToken(request, token)) return noToken;
    if (authorize === undefined) return WEB;
    try {
      return (await authorize(request)) ?? notAuthorized;
    } catch {
      // What went wrong at the host is not for whoever asks.
      return cannotAuthorize;
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const intruder = findIntruder(request, options);
    if (intruder !== null) return refuse(response, intruder);
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (path === basePath && request.method === 'GET') {
      // Addresses in the page are relative to the folder it is in.
      response.writeHead(308, { ...SAFE_HEADERS, location: `${basePath}/` }).end();
      return;
    }
    if (!path.startsWith(`${basePath}/`)) return refuse(response, notFound);
    const own = path.slice(basePath.length);
    const asset = assets.get(own);
    if (asset !== undefined && request.method === 'GET') {
      const isZipped = /\bgzip\b/u.test(String(request.headers['accept-encoding'] ?? ''));
      response.writeHead(200, {
        ...SAFE_HEADERS,
        'content-type': asset.type,
        ...(isZipped && { 'content-encoding': 'gzip' }),
      });
      response.end(isZipped ? asset.zipped : asset.content);
      return;
    }
    if (!own.startsWith('/api/')) return refuse(response, notFound);
    const by = await whoIs(request);
    if (typeof by !== 'string') return refuse(response, by);
    const parts = own.slice('/api/'.length).split('/');
    if (request.method === 'GET') return read(request, response, { parts, query });
    if (request.method === 'POST') return write(request, response, { parts, by });
    const message = 'Data is read with GET, commands are given with POST.';
    refuse(response, { status: 405, code: 'wrong_method', message });
  };

  const read = async (
    request: IncomingMessage,
    response: ServerResponse,
    { parts, query }: { parts: readonly string[]; query: string },
  ): Promise<void> => {
    const wanted = new URLSearchParams(query);
    const [runs, id = '', what, which, ...more] = parts;
    if (runs !== 'runs' || more.length > 0) return refuse(response, notFound);
    if (parts.length === 1)
      return sendJson(
        response,
        await list({ status: wanted.get('status'), search: wanted.get('search') ?? '' }),
      );
    if (parts.length === 2 && id === 'stream') return live.runs(request, response);
    const runId = decoded(id);
    if (parts.length === 3 && what === 'stream') {
      const withList = wanted.get('list') === '1';
      // With the list there is something to tell also when the run cannot be read.
      if (!withList) await watcher.look(runId);
      const given = String(request.headers['last-event-id'] ?? wanted.get('after'));
      const after = /^\d{1,9}$/u.test(given) ? Number(given) : -1;
      return live.run(request, response, { runId, after, withList });
    }
    const { folded, ...standing } = await watcher.look(runId);
    const { rows, last } = folded;
    if (last === null) return refuse(response, notFound);
    if (parts.length === 2) {
      const page: RunPage = { run: toRunState(last, standing), steps: rows };
      return sendJson(response, page);
    }
    if (parts.length === 4 && what === 'steps' && /^\d{1,9}$/u.test(which ?? '')) {
      const [pair, row] = [folded.at(Number(which)), rows[Number(which)]];
      if (pair === null || row === undefined) return refuse(response, notFound);
      return sendJson(response, toDetail(pair, row, standing));
    }
    if (parts.length !== 3 || what !== 'image') return refuse(response, notFound);
    const side = wanted.get('which');
    const files = filesOf(last.context, wanted.get('call') ?? '');
    const file = side === 'input' || side === 'output' ? files[side] : null;
    if (file === null) return refuse(response, notFound);
    const content = await thumbnail(file, AbortSignal.timeout(15_000));
    response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'image/png' });
    response.end(content);
  };

  const write = async (
    request: IncomingMessage,
    response: ServerResponse,
    { parts, by }: { parts: readonly string[]; by: string },
  ): Promise<void> => {
    const [runs, id = '', name = ''] = parts;
    const isCommand = parts.length === 3 && runs === 'runs' && COMMANDS.includes(name);
    if (!isCommand) return refuse(response, notFound);
    const body = await readBody(request);
    if (!body.ok) {
      // What was not read must not be taken for the next request.
      response.setHeader('connection', 'close');
      return refuse(response, body.refusal);
    }
    const outcome = await command({
      name: name as CommandName,
      runId: decoded(id),
      body: body.value,
      by,
    });
    if (outcome.ok) sendJson(response, outcome.reply);
    else refuse(response, outcome.refusal);
  };

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((thrown: unknown) => {
      const { code, message } = toErrorData(thrown, 'failed');
      const status = STATUS_OF[code] ?? 500;
      if (response.headersSent) response.destroy();
      else refuse(response, { status, code, message });
    });
  };
  const close = async () => {
    live.close();
    await goingOn?.close();
  };
  return Object.assign(handle, { close });
}

/** Such as `/inspector`: also of `/inspector/`; the root is empty. */
function toBasePath(given: string): string {
  const path = given.replace(/\/+$/u, '');
  if (path === '' || /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/u.test(path)) return path;
  throw new AgentHubError(
    'invalid_options',
    `createInspectorHandler: basePath is a path as in an address, such as /inspector, not ${JSON.stringify(given)}.`,
  );
}

const COMMANDS: readonly string[] = ['answer', 'cancel', 'resume'] satisfies CommandName[];

/** A run's id from a path; what cannot be decoded names no run. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
