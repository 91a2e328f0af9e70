import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { printable } from '../../machines/vocabulary/printable.ts';
import {
  type Configuration,
  type FoundConfig,
  loadConfiguration,
  type Settings,
  unflatten,
} from './config.ts';
import { type CommonFlags, type DriveFlags, settingsFlags } from './flags.ts';
import { canAsk, colorsOf, type Io } from './io.ts';
import { say } from './texts.ts';
import { askTrust } from './trust/ask-trust.ts';
import { heldLines } from './trust/held-lines.ts';
import type { HeldBack } from './trust/judge.ts';
import { trustFile } from './trust/trusted-files.ts';
import { usageError } from './usage-error.ts';

/** The configuration that a command's flags ask for. @throws AgentHubError `usage`, `invalid_config`. */
export function configurationOf(flags: CommonFlags, { cwd, env }: Io): Configuration {
  const { config: file, ignoreConfig: ignoresFound } = flags;
  if (file !== undefined && ignoresFound) throw usageError('configOrNot');
  return loadConfiguration({ cwd, env, flags: settingsFlags(flags), file, ignoresFound });
}

/** What a found file would change and does not: what a variable or a flag says instead is left out. */
export function heldBackOf({ found, settings }: Configuration): readonly HeldBack[] {
  if (found === null || found.isTrusted) return [];
  return found.needsTrust.filter(({ name }) => {
    const source = settings.get(name)?.source;
    return source !== 'environment' && source !== 'flag';
  });
}

/** The settings of a command that only looks: what is held back is told on stderr, and not used. */
export function settingsToLook(flags: CommonFlags, io: Io): Settings {
  const configuration = configurationOf(flags, io);
  const { found, settings } = configuration;
  const held = heldBackOf(configuration);
  if (found === null || held.length === 0) return settings;
  const { locale = 'en' } = unflatten(settings);
  const names = held.map(({ name }) => name).join(', ');
  const note = say(locale, 'heldBackNote', { file: found.path, names });
  io.stderr.write(`${colorsOf(io).dim(printable(note))}\n`);
  return settings;
}

/**
 * The settings of a command that acts: with everything in the file if a person trusts it, now or
 * before. Nothing else happens before that question.
 * @throws AgentHubError `untrusted` where nobody can be asked or the answer is no, `interrupted`.
 */
export async function agreedSettings(flags: DriveFlags, io: Io): Promise<Settings> {
  const configuration = configurationOf(flags, io);
  const { found, settings } = configuration;
  if (found === null || heldBackOf(configuration).length === 0) return settings;
  const { locale = 'en' } = unflatten(settings);
  const isAsked = !flags.json && !flags.jsonStream && canAsk(io);
  if (!isAsked) throw refusalOf(found, settings);
  const question = say(locale, 'fileWould', { file: found.path });
  const lines = [question, ...heldLines(found.needsTrust, locale)];
  if (!(await askTrust(lines, io, locale)))
    throw new AgentHubError('untrusted', say(locale, 'notTrusted', { file: found.path }));
  // What cannot take effect is told first: nothing is trusted by then.
  const trusted = found.trustedSettings();
  await trustFile(found, io.env);
  return trusted;
}

/** The settings as they are now, for work that cannot ask. @throws AgentHubError `untrusted`. */
export function settingsNow(flags: CommonFlags, io: Io): Settings {
  const configuration = configurationOf(flags, io);
  const { found, settings } = configuration;
  if (found !== null && heldBackOf(configuration).length > 0) throw refusalOf(found, settings);
  return settings;
}

function refusalOf(found: FoundConfig, settings: Settings): AgentHubError<'untrusted'> {
  const { locale = 'en' } = unflatten(settings);
  const what = heldLines(found.needsTrust, locale).join('\n');
  return new AgentHubError('untrusted', say(locale, 'fileUntrusted', { file: found.path, what }));
}
