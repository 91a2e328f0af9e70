import type { ConfigFile } from './config-schema.ts';

/** Values by dotted path, such as `model.name`; undefined where none was given. */
export type Values = Readonly<Record<string, unknown>>;

/** Parts that are set as a whole, not member by member. */
const WHOLE = ['permissions.policies', 'imageService'] as const;

/** Every setting of a configuration file by its dotted path. */
export type SettingName = Exclude<NameIn<ConfigFile>, '$schema'>;

type NameIn<Part, Path extends string = ''> = {
  [Key in keyof Part & string]-?: NameOf<NonNullable<Part[Key]>, `${Path}${Key}`>;
}[keyof Part & string];

type NameOf<Value, Name extends string> = Name extends (typeof WHOLE)[number]
  ? Name
  : Value extends string | number | boolean | readonly unknown[]
    ? Name
    : NameIn<Value, `${Name}.`>;

/** A configuration as values by dotted path. */
export function flatten(config: object, prefix = ''): Values {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]): [string, unknown][] => {
      const name = prefix === '' ? key : `${prefix}.${key}`;
      const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
      const isWhole = WHOLE.some((whole) => whole === name);
      return isGroup && !isWhole ? Object.entries(flatten(value, name)) : [[name, value]];
    }),
  );
}

/** The opposite of {@link flatten}. */
export function nested(values: Values): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const keys = name.split('.');
    const last = keys.pop() ?? name;
    const group = keys.reduce<Record<string, unknown>>((at, key) => {
      at[key] ??= {};
      return at[key] as Record<string, unknown>;
    }, config);
    group[last] = value;
  }
  return config;
}
