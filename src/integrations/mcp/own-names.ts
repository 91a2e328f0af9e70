import { MAX_INPUT_DEPTH } from '../../../machines/vocabulary/json.ts';

/** Stands before a name that every object has anyway, and before one that begins so. */
const MARK = '\u0000';

/**
 * A property's name that no object inherits: zod takes an inherited `constructor` for one that was
 * given, and leaves `__proto__` out.
 */
export function ownName(name: string): string {
  return name in Object.prototype || name.startsWith(MARK) ? MARK + name : name;
}

/** The name as it was given. */
export function givenName<Key>(name: Key): Key | string {
  return typeof name === 'string' && name.startsWith(MARK) ? name.slice(MARK.length) : name;
}

/** JSON with every property under its {@link ownName}. */
export function withOwnNames(json: unknown, depth = MAX_INPUT_DEPTH): unknown {
  if (typeof json !== 'object' || json === null || depth === 0) return json;
  if (Array.isArray(json)) return json.map((one) => withOwnNames(one, depth - 1));
  const members = Object.entries(json);
  return Object.fromEntries(
    members.map(([name, one]) => [ownName(name), withOwnNames(one, depth - 1)]),
  );
}
