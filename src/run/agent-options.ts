import { hostname } from 'node:os';
import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits } from '../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';
import { requireHook } from '../hooks/define-hook.ts';
import type { Hook } from '../hooks/hook.types.ts';
import { nativeCalls } from '../protocol/native-calls.ts';
import type { Protocol } from '../protocol/protocol.types.ts';
import { reactText } from '../protocol/react-text.ts';
import { requireTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.types.ts';
import type { AgentOptions, StartOptions } from './agent.types.ts';
import { checkNames, parseOption } from './options.ts';

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

/** Options as an agent works with them: all there, and nobody's but its own. */
export interface ReadOptions {
  readonly settings: z.infer<typeof settingsSchema>;
  readonly protocol: Protocol;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly hooks: readonly Hook[];
}

/**
 * Checks the options of an agent, fills in defaults, and copies what the host could change later.
 * @throws AgentHubError `invalid_options`, `invalid_hook`, `invalid_tool`.
 */
export function readAgentOptions(options: AgentOptions): ReadOptions {
  checkNames(options, Object.keys(OPTIONS), 'options');
  checkNames(options.permissions ?? {}, ['policies'], 'permissions');
  const { model, store, locale = 'en', instructions = '' } = options;
  if (typeof model?.generate !== 'function')
    throw new AgentHubError('invalid_options', 'model: give a Model, such as openaiModel({ … }).');
  if (store !== undefined && typeof store?.append !== 'function')
    throw new AgentHubError('invalid_options', 'store: give a RunStore, such as memoryStore().');
  const settings = {
    locale,
    instructions,
    maxResultBytes: options.maxResultBytes ?? AGENT_DEFAULTS.maxResultBytes,
    maxParallelTools: options.maxParallelTools ?? AGENT_DEFAULTS.maxParallelTools,
    inspectTimeout: options.inspectTimeout ?? AGENT_DEFAULTS.inspectTimeout,
    owner: options.owner ?? `${hostname()}:${process.pid}`,
    leaseTime: options.leaseTime ?? LEASE_TIME,
  };
  const tools = byName(options.tools ?? [], 'tools');
  const hooks = byName(options.hooks ?? [], 'hooks');
  // A hook or tool that was written by hand may lack what makes it a gate at all.
  for (const hook of hooks.values()) requireHook(hook);
  for (const tool of tools.values()) requireTool(tool);
  return {
    settings: parseOption(settingsSchema, settings, 'options'),
    protocol: protocolOf(options.protocol ?? 'native-calls'),
    tools: new Map([...tools].map(([name, tool]) => [name, ownTool(tool)])),
    hooks: [...hooks.values()].map(ownHook),
  };
}

/** @throws AgentHubError `invalid_options` for what no start takes: a misspelled option is none. */
export function checkStartOptions(options: StartOptions): void {
  checkNames(options, ['history', 'limits', 'runId'], 'options of a start');
}

/** What was checked is what is used: a tool that is changed later is not this agent's. */
function ownTool(tool: Tool): Tool {
  const { name, description, input, textField, safeToRepeat, oncePerReply, timeout } = tool;
  return Object.freeze({
    name,
    input,
    textField,
    safeToRepeat,
    oncePerReply,
    timeout,
    description: Object.freeze({ ...description }),
    inspectFacts: tool.inspectFacts.bind(tool),
    execute: tool.execute.bind(tool),
  });
}

function ownHook(hook: Hook): Hook {
  const { name, event, matcher, timeout } = hook;
  return Object.freeze({ name, event, matcher, timeout, run: hook.run.bind(hook) });
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
  if (!Array.isArray(entries))
    throw new AgentHubError('invalid_options', `${option}: give an array, or leave it out.`);
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
