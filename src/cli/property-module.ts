import { existsSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { COMES_TO_REST, INVARIANTS, type NamedWorld, type Property } from '../testing/index.ts';
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
  if (!existsSync(file)) throw usageError('noSuchModule', { file });
  let loaded: { properties?: unknown; worlds?: unknown };
  try {
    loaded = (await import(pathToFileURL(file).href)) as typeof loaded;
  } catch (thrown) {
    throw notLoaded(file, thrown);
  }
  const { properties, worlds } = loaded;
  if (!Array.isArray(properties)) {
    const found = properties === undefined ? 'undefined' : typeof properties;
    throw usageError('noProperties', { file, found });
  }
  checkProperties(properties, file);
  if (worlds !== undefined) checkWorlds(worlds, file);
  return { properties, worlds: worlds as readonly NamedWorld[] | undefined };
}

function notLoaded(file: string, thrown: unknown): AgentHubError {
  const { code } = (thrown ?? {}) as { code?: unknown };
  // Later versions of Node strip types themselves, except in packages and for some syntax.
  const isOfNode = code === 'ERR_UNKNOWN_FILE_EXTENSION' || String(code).includes('TYPESCRIPT');
  const isTypeScript = /\.[cm]?tsx?$/u.test(file) && isOfNode;
  if (isTypeScript) return usageError('notJavaScript', { file, version: process.version });
  return usageError('notLoaded', { file, why: String(thrown) });
}

function checkProperties(properties: readonly unknown[], file: string): void {
  const known = new Set([...INVARIANTS, COMES_TO_REST].map(({ id }) => id));
  for (const [index, property] of properties.entries()) {
    if (typeof property !== 'object' || property === null)
      throw usageError('notAProperty', { file, index });
    const wrong = wrongParts(property as Partial<Record<keyof Property, unknown>>);
    if (wrong.length > 0)
      throw usageError('partsOfProperty', { file, index, names: wrong.join(', ') });
    const { id } = property as Property;
    if (known.has(id)) throw usageError('propertyTwice', { file, index, id });
    known.add(id);
  }
}

function wrongParts({
  id,
  text,
  violation,
  goal,
  memory,
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
    ...(memory === undefined || isFunction(next) ? [] : ['memory.next']),
  ];
}

function checkWorlds(worlds: unknown, file: string): void {
  if (!Array.isArray(worlds) || worlds.length === 0)
    throw usageError('notWorlds', { file, what: Array.isArray(worlds) ? '[]' : typeof worlds });
  for (const [index, each] of worlds.entries()) {
    const { name, world, replay } = (each ?? {}) as Partial<Record<keyof NamedWorld, unknown>>;
    const isCount = typeof replay === 'number' && Number.isInteger(replay) && replay > 0;
    const isWhole = typeof world === 'object' && world !== null;
    if (typeof name !== 'string' || !isWhole || (replay !== 'all' && !isCount))
      throw usageError('notWorlds', { file, what: `worlds[${index}]` });
  }
}
