// A chart as it is written, checked without running it.

export type Config = Readonly<Record<string, unknown>>;

/** A machine's configuration and implementations, as the machine keeps them. */
export interface Chart {
  readonly config: Config;
  readonly implementations: {
    readonly actors: Config;
    readonly guards: Config;
    readonly actions: Config;
  };
}

/** A value as fields; what is none has none. */
export const fields = (value: unknown): Config => (value ?? {}) as Config;
const list = (value: unknown): readonly unknown[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
};

interface Node {
  readonly path: readonly string[];
  readonly config: Config;
}

/** Every state of a chart, the root first, with its path. */
export function nodesOf(config: Config, path: readonly string[] = []): readonly Node[] {
  const children = Object.entries(fields(config.states)).flatMap(([name, child]) =>
    nodesOf(fields(child), [...path, name]),
  );
  return [{ path, config }, ...children];
}

/** The transitions of a state with where each stands. */
export function transitionsOf({ config }: Node): readonly (readonly [string, unknown])[] {
  const named = (where: string, value: unknown) =>
    list(value).map((transition) => [where, transition] as const);
  const on = Object.entries(fields(config.on)).flatMap(([event, value]) => named(event, value));
  const invokes = list(config.invoke).flatMap((invoke) => {
    const { id, onDone, onError } = fields(invoke);
    return [...named(`${id} done`, onDone), ...named(`${id} error`, onError)];
  });
  return [...on, ...named('always', config.always), ...named('done', config.onDone), ...invokes];
}

const nameOf = (named: unknown) => (typeof named === 'string' ? named : fields(named).type);

/** Everything that is wrong with a chart, in words. */
export function problemsOf({ config, implementations }: Chart): readonly string[] {
  const { guards, actions, actors } = implementations;
  const nodes = nodesOf(config);
  const known = new Set(nodes.map(({ path }) => path.join('.')));
  const problems: string[] = [];
  const used = { guards: new Set<unknown>(), actions: new Set<unknown>(), actors: new Set() };
  const invokeIds = new Set<unknown>();

  const needs = (kind: keyof typeof used, named: unknown, where: string) => {
    const name = nameOf(named);
    used[kind].add(name);
    if (typeof name !== 'string') problems.push(`${where}: an inline one of ${kind}`);
    else if (!Object.hasOwn(implementations[kind], name)) problems.push(`${where}: no ${name}`);
  };

  const resolve = (target: string, path: readonly string[]) => {
    if (target.startsWith('#')) {
      const [id, ...rest] = target.slice(1).split('.');
      return id === config.id ? rest.join('.') : null;
    }
    if (target.startsWith('.')) return [...path, target.slice(1)].join('.');
    return [...path.slice(0, -1), target].join('.');
  };

  for (const node of nodes) {
    const { path, config: state } = node;
    const where = path.join('.') || 'the root';
    if (state.after !== undefined) problems.push(`${where}: after`);
    if (state.states !== undefined) {
      const initial = state.initial;
      if (typeof initial !== 'string' || !known.has([...path, initial].join('.')))
        problems.push(`${where}: initial ${String(initial)}`);
    }
    for (const action of [...list(state.entry), ...list(state.exit)])
      needs('actions', action, where);
    for (const invoke of list(state.invoke)) {
      const { id, src, onError, onDone } = fields(invoke);
      if (typeof id !== 'string') problems.push(`${where}: an invoke without an id`);
      if (invokeIds.has(id)) problems.push(`${where}: the id ${String(id)} is there twice`);
      invokeIds.add(id);
      if (list(onError).length === 0) problems.push(`${where}: no onError`);
      if (list(onDone).length === 0) problems.push(`${where}: no onDone`);
      needs('actors', src, where);
    }
    if (list(state.invoke).length > 0 && list(state.always).length > 0)
      problems.push(`${where}: always beside invoke`);
    const groups = new Map<string, unknown[]>();
    for (const [event, transition] of transitionsOf(node)) {
      const at = `${where} on ${event}`;
      const written = typeof transition === 'string' ? { target: transition } : fields(transition);
      groups.set(event, [...(groups.get(event) ?? []), written.guard]);
      if (written.guard !== undefined) needs('guards', written.guard, at);
      for (const action of list(written.actions)) needs('actions', action, at);
      for (const target of list(written.target)) {
        const resolved = resolve(String(target), path);
        if (resolved === null || !known.has(resolved)) problems.push(`${at}: target ${target}`);
      }
    }
    for (const [event, written] of groups) {
      const unguarded = written.indexOf(undefined);
      if (unguarded !== -1 && unguarded < written.length - 1)
        problems.push(`${where} on ${event}: unreachable after the unguarded one`);
    }
    if (state.type === 'final' && transitionsOf(node).length > 0)
      problems.push(`${where}: leaves a final state`);
  }
  // The tools are spawned, not invoked.
  used.actors.add('tool');
  for (const [kind, given] of Object.entries({ guards, actions, actors }))
    for (const name of Object.keys(given))
      if (!used[kind as keyof typeof used].has(name)) problems.push(`${name} is never used`);
  const { maxIterations } = fields(config.options);
  if (typeof maxIterations !== 'number' || !Number.isFinite(maxIterations))
    problems.push('no maxIterations');
  return problems;
}
