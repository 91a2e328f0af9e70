import { COMES_TO_REST, INVARIANTS, type NamedWorld, type Property } from '../testing/index.ts';
import { loadModule } from './load-module.ts';
import { usageError } from './usage-error.ts';

/** What a module of the user's own exports. */
export interface PropertyModule {
  readonly properties: readonly Property[];
  /** Undefined where it has none of its own. */
  readonly worlds: readonly NamedWorld[] | undefined;
}

/**
 * Loads `export const properties`, and `export const worlds` if there are any, and checks them.
 * @throws AgentHubError `usage` naming the file, the index, and what is wanted there.
 */
export async function loadProperties(file: string): Promise<PropertyModule> {
  const flag = '--property';
  return propertiesOf(await loadModule(file, { flag }), { flag, file });
}

/** Where a module comes from: the flag that named it, and its file. */
interface Origin {
  readonly flag: string;
  readonly file: string;
}

/** The same from what a module exports. */
export function propertiesOf(
  { properties, worlds }: Readonly<Record<string, unknown>>,
  origin: Origin,
): PropertyModule {
  if (!Array.isArray(properties)) {
    const found = properties === undefined ? 'undefined' : typeof properties;
    throw usageError('noProperties', { ...origin, found });
  }
  checkProperties(properties, origin);
  if (worlds !== undefined) checkWorlds(worlds, origin);
  return { properties, worlds: worlds as readonly NamedWorld[] | undefined };
}

function checkProperties(properties: readonly unknown[], origin: Origin): void {
  const known = new Set([...INVARIANTS, COMES_TO_REST].map(({ id }) => id));
  for (const [index, property] of properties.entries()) {
    if (typeof property !== 'object' || property === null)
      throw usageError('notAProperty', { ...origin, index });
    const wrong = wrongParts(property as Partial<Record<keyof Property, unknown>>);
    if (wrong.length > 0)
      throw usageError('partsOfProperty', { ...origin, index, names: wrong.join(', ') });
    const { id } = property as Property;
    if (known.has(id)) throw usageError('propertyTwice', { ...origin, index, id });
    known.add(id);
  }
}

function wrongParts({
  id,
  text,
  violation,
  goal,
  memory,
  about,
}: Partial<Record<keyof Property, unknown>>) {
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  const isFunction = (value: unknown) => typeof value === 'function';
  const { next } = (memory ?? {}) as { next?: unknown };
  return [
    ...(isText(id) ? [] : ['id']),
    ...(isText(text) ? [] : ['text']),
    ...(violation === undefined || isFunction(violation) ? [] : ['violation']),
    ...(goal === undefined || isFunction(goal) ? [] : ['goal']),
    ...(violation === undefined && goal === undefined ? ['violation | goal'] : []),
    ...(about === undefined || isFunction(about) ? [] : ['about']),
    ...(memory === undefined || isFunction(next) ? [] : ['memory.next']),
  ];
}

function checkWorlds(worlds: unknown, origin: Origin): void {
  if (!Array.isArray(worlds) || worlds.length === 0)
    throw usageError('notWorlds', {
      ...origin,
      what: Array.isArray(worlds) ? '[]' : typeof worlds,
    });
  for (const [index, each] of worlds.entries()) {
    const { name, world, replay } = (each ?? {}) as Partial<Record<keyof NamedWorld, unknown>>;
    const isCount = typeof replay === 'number' && Number.isInteger(replay) && replay > 0;
    const isWhole = typeof world === 'object' && world !== null;
    if (typeof name !== 'string' || !isWhole || (replay !== 'all' && !isCount))
      throw usageError('notWorlds', { ...origin, what: `worlds[${index}]` });
  }
}
