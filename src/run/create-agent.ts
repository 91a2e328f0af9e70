import { randomUUID } from 'node:crypto';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { type AgentInput, DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import type { HookSelector } from '../../machines/agent/matcher.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { deepFreeze, frozenHistory } from '../hooks/frozen-copy.ts';
import { toToolSpec } from '../tools/define-tool.ts';
import type { Agent, AgentOptions, StartOptions } from './agent.types.ts';
import { checkStartOptions, DEFAULT_AGENT_LIMITS, readAgentOptions } from './agent-options.ts';
import { Drivers } from './drivers.ts';
import { Journal } from './journal.ts';
import { checkHistory, checkRunId, mergeLimits, mergePolicies } from './options.ts';
import { createPorts } from './ports/index.ts';
import type { AgentParts } from './ports/parts.ts';
import { restoreLog } from './restore.ts';
import { openRun, type RunHost } from './run.ts';
import { Slots } from './slots.ts';
import { checkToolNames } from './tool-names.ts';

/**
 * Makes an agent: the machine with its ports filled in, once for all its runs.
 * @throws AgentHubError `invalid_options`, `invalid_hook` or `invalid_tool` naming what is wrong
 * and what is allowed.
 */
export function createAgent(options: AgentOptions): Agent {
  const { settings, protocol, tools, hooks } = readAgentOptions(options);
  const { model, store, now = Date.now, createId = randomUUID } = options;
  const { locale, maxParallelTools } = settings;
  const selectors = Object.freeze(
    hooks.map(({ name, event, matcher }): HookSelector => ({ name, event, matcher })),
  );
  const policies = deepFreeze(mergePolicies(options.permissions?.policies));
  const own = options.permissions?.policies ?? {};
  checkToolNames({ tools: tools.keys(), policies: own, hooks: selectors });
  const base = store ? DEFAULT_LIMITS : DEFAULT_AGENT_LIMITS;
  const limits = Object.freeze(mergeLimits(options.limits, base));

  const newSlots = () => new Slots(maxParallelTools);
  const servicesOfForeign = () => {
    if (store === undefined) return { observer: null, journal: null, slots: newSlots() };
    // Without a log nothing may start: nobody could tell after a crash what had.
    throw new AgentHubError(
      'not_driven',
      'This agent has a store, and this actor no log in it: nothing starts. Begin the run with agent.start or agent.restore, or embed the machine of an agent without a store.',
    );
  };
  const drivers = new Drivers({ owner: settings.owner, servicesOfForeign });
  const parts: AgentParts = {
    model,
    protocol,
    tools,
    specs: deepFreeze([...tools.values()].map((tool) => toToolSpec(tool, locale))),
    hooks,
    ...settings,
    now,
    servicesOf: (actor) => drivers.servicesOf(actor),
  };
  const machine = agentMachine.provide({ actors: createPorts(parts) });

  const input = (prompt: string, start: StartOptions = {}): AgentInput => {
    checkStartOptions(start);
    if (typeof prompt !== 'string' || prompt.trim() === '')
      throw new AgentHubError('invalid_prompt', 'The prompt is empty: say what is to be done.');
    return {
      runId: checkRunId(start.runId ?? createId()),
      startedAt: now(),
      locale,
      prompt,
      // A copy: the run goes on from what it was given.
      history: frozenHistory(checkHistory(start.history)),
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
    begin: ({ runId, actor, observer }) =>
      drivers.begin({ runId, actor, services: { observer, journal, slots: newSlots() } }),
  });
  const request = { owner: settings.owner, ttl: settings.leaseTime };

  return Object.freeze({
    machine,
    input,
    start: (prompt: string, start?: StartOptions) => {
      const origin = { input: input(prompt, start) };
      drivers.requireFree(origin.input.runId);
      if (store === undefined) return openRun(origin, hostOf(null), null);
      const journal = Journal.start({ store, request, now }, origin.input);
      return openRun(origin, hostOf(journal), { store, journal });
    },
    restore: async (runId: string) => {
      if (store === undefined)
        throw new AgentHubError('no_store', 'The agent has no store to restore runs from.');
      return drivers.takeUp(checkRunId(runId), async (onLease) => {
        const rules = { policies, hooks: selectors, tools, limits, now };
        const restored = await restoreLog(runId, { store, request, onLease, ...rules });
        const { snapshot, waiting } = restored;
        const journal = Journal.resume({ store, request, now }, restored);
        return openRun({ snapshot }, hostOf(journal), { store, journal, waiting });
      });
    },
    tools: parts.specs,
    policies,
    limits,
    model: model.name,
  });
}
