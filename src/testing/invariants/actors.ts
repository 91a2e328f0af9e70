import { stateOf } from '../../../machines/agent/agent.view.ts';
import type { Property } from '../properties.ts';
import { callsOf } from '../taken.ts';

// The actors of a run.

const HOOK_ACTORS: Readonly<Record<string, string>> = {
  userPromptSubmit: 'UserPromptSubmit',
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  stop: 'Stop',
};

export const actors: Property = {
  id: 'actors',
  text: 'A tool has an actor exactly while its call runs; a hook has one only where a hook applies.',
  violation: ({ after }) => {
    const running = callsOf(after).flatMap(({ id, stage }) =>
      stage === 'running' ? [`tool.${id}`] : [],
    );
    const names = Object.keys(after.children);
    const tools = names.filter((name) => name.startsWith('tool.'));
    if (tools.sort().join() !== running.sort().join())
      return `actors of ${tools.join() || 'no tool'}`;
    const idle = names.find((name) => {
      const event = HOOK_ACTORS[name];
      return event !== undefined && !after.context.hooks.some((hook) => hook.event === event);
    });
    return idle === undefined ? null : `${idle} runs and no hook applies`;
  },
};

export const alive: Property = {
  id: 'alive',
  text: 'A run that has not come to rest has an actor to wait for.',
  violation: ({ after }) => {
    if (after.context.rest !== null) return null;
    return Object.keys(after.children).length > 0
      ? null
      : `nothing to wait for in ${stateOf(after)}`;
  },
};

export const noThrow: Property = {
  id: 'no-throw',
  text: 'Nothing that an actor answers or a person sends breaks the machine.',
  violation: ({ after }) => ((after.status as string) === 'error' ? String(after.error) : null),
};
