import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { Question } from '../../machines/agent/agent.view.ts';
import type { ObservationMessage } from '../../machines/vocabulary/messages.ts';
import type { ModelRequest } from '../../machines/vocabulary/model.ts';
import {
  type AgentOptions,
  createAgent,
  createDefaultTools,
  type DefaultToolsOptions,
  type Model,
  type Run,
  type RunOutcome,
  todoReminder,
  unfinishedTodos,
} from '../../src/index.ts';
import { offlineModel } from '../../src/offline/index.ts';
import { noise } from '../tools/pictures.ts';
import { inTemporaryFolder } from '../tools/tool-context.ts';

const SHIPPED_KNOWLEDGE = new URL('../../knowledge', import.meta.url).pathname;

interface WorkshopOptions {
  readonly agent?: Partial<AgentOptions>;
  readonly tools?: (folder: string) => Partial<DefaultToolsOptions>;
  /** Makes what must be there before the agent is. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** What answers a question; `'wait'` leaves it open. */
export type Answerer = (question: Question, run: Run) => unknown;

/** A folder with a copy of the shop's knowledge, a picture, and an agent that needs no network. */
export interface Workshop {
  readonly folder: string;
  readonly path: (name: string) => string;
  /** Every request the model was given. */
  readonly requests: readonly ModelRequest[];
  /** Works a prompt off; questions are denied unless `answerer` says otherwise. */
  work(prompt: string, answerer?: Answerer): Promise<Worked>;
}

export interface Worked {
  readonly run: Run;
  readonly outcome: RunOutcome;
  readonly answer: string;
  readonly questions: readonly Question[];
  readonly observations: readonly ObservationMessage[];
}

/** Does work in a workshop of its own, and removes it. */
export function inWorkshop(
  work: (workshop: Workshop) => Promise<void>,
  options: WorkshopOptions = {},
): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    const path = (name: string) => join(folder, name);
    await cp(SHIPPED_KNOWLEDGE, path('knowledge'), { recursive: true });
    await noise(640, 400).jpeg().toFile(path('photo.jpg'));
    await options.prepare?.(folder);
    const requests: ModelRequest[] = [];
    const agent = createAgent({
      model: watched(offlineModel(), requests),
      tools: createDefaultTools({
        workingFolder: folder,
        knowledgeFolder: path('knowledge'),
        ...options.tools?.(folder),
      }),
      hooks: [todoReminder(), unfinishedTodos()],
      locale: 'zh',
      ...options.agent,
    });
    await work({
      folder,
      path,
      requests,
      work: async (prompt, answerer = ({ callId }, run) => run.deny(callId)) => {
        const run = agent.start(prompt);
        const questions: Question[] = [];
        for await (const event of run) {
          if (event.type !== 'permission.requested') continue;
          questions.push(...event.questions);
          for (const question of event.questions) await answerer(question, run);
        }
        const outcome = await run.outcome;
        const observations = outcome.messages.filter(
          (message): message is ObservationMessage => message.role === 'observation',
        );
        const answer = outcome.status === 'done' ? outcome.answer : '';
        return { run, outcome, answer, questions, observations };
      },
    });
  });
}

function watched(model: Model, requests: ModelRequest[]): Model {
  return {
    name: model.name,
    generate: (request, options) => {
      requests.push(structuredClone(request));
      return model.generate(request, options);
    },
  };
}

/** Tools and outcomes of a run, in order, the list left out. */
export function steps({ observations }: Pick<Worked, 'observations'>): readonly string[] {
  return observations
    .filter(({ tool }) => tool !== 'todo_write')
    .map(({ tool, outcome }) => `${tool} ${outcome}`);
}

/** Codes of the reasons of a question or an observation. */
export function codesOf(
  refused: { readonly reasons: readonly { readonly code: string }[] } | undefined,
) {
  return refused?.reasons.map(({ code }) => code);
}

export async function expectPicture(
  path: string,
  picture: { readonly width: number; readonly height: number; readonly format: string },
): Promise<void> {
  const { width, height, format } = await sharp(await readFile(path)).metadata();
  expect({ width, height, format }).toEqual(picture);
}
