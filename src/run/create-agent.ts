import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { type AgentInput, DEFAULT_LIMITS, type Limits } from '../../machines/agent/agent.types.ts';
import type { HookSelector } from '../../machines/agent/matcher.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';
import { requireHook } from '../hooks/define-hook.ts';
import { nativeCalls } from '../protocol/native-calls.ts';
import type { Protocol } from '../protocol/protocol.types.ts';
import { reactText } from '../protocol/react-text.ts';
import { requireTool, toToolSpec } from '../tools/define-tool.ts';
import type { Agent, AgentOptions, StartOptions } from './agent.types.ts';
import { Journal } from './journal.ts';
import { checkHistory, checkRunId, mergeLimits, mergePolicies, parseOption } from './options.ts';
import { createPorts } from './ports/index.ts';
import type { AgentParts, RunServices } from './ports/parts.ts';
import { restoreLog } from './restore.ts';
import { openRun, type RunHost } from './run.ts';
import { Slots } from './slots.ts';
import { checkToolNames } from './tool-names.ts';

/** Default limits without a store: nothing keeps a run for later, so a person has ten minutes. */
export const DEFAULT_AGENT_LIMITS: Limits = { ...DEFAULT_LIMITS, approvalDeadline: 10 * 60_000 };

/** Bytes of a result, tools at a time, milliseconds for looking up facts; see `AgentOptions`. */
export const AGENT_DEFAULTS = {
  maxResultBytes: 32_000,
  maxParallelTools: 4,
  inspectTimeout: 10_000,
} as const;

/** Milliseconds after which a dead driver's run may be taken over. */
const LEASE_TIME = 15_000;

const timer = z.number().int().positive().max(LONGEST_TIMER);

const settingsSchema = z.object({
  locale: z.enum(['zh', 'en']),
  instructions: z.string(),
  maxResultBytes: z.number().int().min(100),
  maxParallelTools: z.number().int().positive(),
  inspectTimeout: timer,
  owner: z.string().min(1),
  leaseTime: timer,
});

/** Every option there is; a misspelled one must not be one that is left out. */
const OPTIONS: Readonly<Record<keyof AgentOptions, true>> = {
  model: true,
  protocol: true,
  instructions: true,
  tools: true,
  hooks: true,
  permissions: true,
  limits: true,
  locale: true,
  maxResultBytes: true,
  maxParallelTools: true,
  inspectTimeout: true,
  inspect: true,
  onEvent: true,
  store: true,
  owner: true,
  leaseTime: true,
  now: true,
  createId: true,
};

/**
 * Makes an agent: the machine with its ports filled in, once for all its runs.
 * @throws AgentHubError `invalid_options`, `invalid_hook` or `invalid_tool` naming what is wrong
 * and what is allowed.
 */
export function createAgent(options: AgentOptions): Agent {
  const { model, now = Date.now, createId = randomUUID, instructions = '' } = options;
  const { locale = 'en', maxResultBytes = AGENT_DEFAULTS.maxResultBytes } = options;
  const { maxParallelTools = AGENT_DEFAULTS.maxParallelTools } = options;
  const { inspectTimeout = AGENT_DEFAULTS.inspectTimeout } = options;
  const strays = Object.keys(options).filter((name) => !Object.hasOwn(OPTIONS, name));
  if (strays.length > 0)
    throw new AgentHubError(
      'invalid_options',
      `${strays.join(', ')}: there is no such option. There are: ${Object.keys(OPTIONS).join(', ')}.`,
    );
  if (typeof model?.generate !== 'function')
    throw new AgentHubError('invalid_options', 'model: give a Model, such as openaiModel({ … }).');
  const { store, owner = `${hostname()}:${process.pid}`, leaseTime = LEASE_TIME } = options;
  const timers = { inspectTimeout, leaseTime };
  const settings = { locale, instructions, maxResultBytes, maxParallelTools, owner, ...timers };
  parseOption(settingsSchema, settings, 'options');

  const tools = byName(options.tools ?? [], 'tools');
  const hooks = options.hooks ?? [];
  byName(hooks, 'hooks');
  // A hook or tool that was written by hand may lack what makes it a gate at all.
  for (const hook of hooks) requireHook(hook);
  for (const tool of tools.values()) requireTool(tool);
  const selectors = hooks.map(
    ({ name, event, matcher }): HookSelector => ({ name, event, matcher }),
  );
  const policies = mergePolicies(options.permissions?.policies);
  const own = options.permissions?.policies ?? {};
  checkToolNames({ tools: tools.keys(), policies: own, hooks: selectors });
  const limits = mergeLimits(options.limits, options.store ? DEFAULT_LIMITS : DEFAULT_AGENT_LIMITS);

  const services = new Map<string, RunServices>();
  const parts: AgentParts = {
    model,
    protocol: protocolOf(options.protocol ?? 'native-calls'),
    instructions,
    tools,
    specs: [...tools.values()].map((tool) => toToolSpec(tool, locale)),
    hooks,
    locale,
    maxResultBytes,
    inspectTimeout,
    now,
    services: (runId) =>
      services.get(runId) ?? { observer: null, journal: null, slots: new Slots(maxParallelTools) },
  };
  const machine = agentMachine.provide({ actors: createPorts(parts) });

  const input = (prompt: string, start: StartOptions = {}): AgentInput => {
    if (typeof prompt !== 'string' || prompt.trim() === '')
      throw new AgentHubError('invalid_prompt', 'The prompt is empty: say what is to be done.');
    return {
      runId: checkRunId(start.runId ?? createId()),
      startedAt: now(),
      locale,
      prompt,
      history: checkHistory(start.history),
      hooks: selectors,
      policies,
      limits: mergeLimits(start.limits, limits),
    };
  };

  const hostOf = (journal: Journal | null): RunHost => ({
    machine,
    now,
    inspect: options.inspect,
    onEvent: options.onEvent,
    register: (runId, observer) => {
      services.set(runId, { observer, journal, slots: new Slots(maxParallelTools) });
      return () => services.delete(runId);
    },
  });
  const request = { owner, ttl: leaseTime };

  return {
    machine,
    input,
    start: (prompt, start) => {
      const origin = { input: input(prompt, start) };
      const { runId } = origin.input;
      if (services.has(runId))
        throw new AgentHubError('run_exists', `A run ${runId} of this agent is under way.`, {
          runId,
        });
      if (store === undefined) return openRun(origin, hostOf(null), null);
      const journal = Journal.start({ store, request, now }, origin.input);
      return openRun(origin, hostOf(journal), { store, journal });
    },
    restore: async (runId) => {
      if (store === undefined)
        throw new AgentHubError('no_store', 'The agent has no store to restore runs from.');
      const { lease, log, snapshot, waiting } = await restoreLog(runId, {
        store,
        request,
        policies,
        hooks: selectors,
        tools,
        limits,
        now,
      });
      const journal = Journal.resume({ store, request, now }, lease, log);
      return openRun({ snapshot }, hostOf(journal), { store, journal, waiting });
    },
    tools: parts.specs,
    policies,
    limits,
    model: model.name,
  };
}

function protocolOf(protocol: Protocol['name'] | Protocol): Protocol {
  if (typeof protocol === 'object') return protocol;
  if (protocol === 'native-calls') return nativeCalls;
  if (protocol === 'react-text') return reactText;
  throw new AgentHubError(
    'invalid_options',
    `protocol: "${String(protocol)}" is not known; use "native-calls" or "react-text".`,
  );
}

function byName<Named extends { readonly name: string }>(
  entries: readonly Named[],
  option: string,
): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  for (const [index, entry] of entries.entries()) {
    if (typeof entry?.name !== 'string')
      throw new AgentHubError('invalid_options', `${option}.${index}: has no name.`);
    if (found.has(entry.name))
      throw new AgentHubError(
        'invalid_options',
        `${option}.${index}: "${entry.name}" is there twice.`,
      );
    found.set(entry.name, entry);
  }
  return found;
}
