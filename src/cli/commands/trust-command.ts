import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import { printable } from '../../../machines/vocabulary/printable.ts';
import { CONFIG_FILE, loadConfiguration, localeOf, STORE_FILE } from '../config.ts';
import { digestOf } from '../digest.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { parseLocale } from '../flags.ts';
import { canAsk, type Io } from '../io.ts';
import { readBytes } from '../read-file.ts';
import { say } from '../texts.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { heldLines } from '../trust/held-lines.ts';
import { forgetStore, isKnownStore, knownStores, rememberStore } from '../trust/known-stores.ts';
import { placeOf } from '../trust/real-place.ts';
import { revokeFile, trustedFiles, trustFile } from '../trust/trusted-files.ts';
import { usageError } from '../usage-error.ts';

/** The flags of `agenthub trust`; at most one of `list`, `revoke` and `yes`. */
export interface TrustFlags {
  readonly list?: boolean;
  readonly revoke?: boolean;
  /** Trusts without a question: for scripts. */
  readonly yes?: boolean;
  readonly locale?: string;
}

/**
 * `agenthub trust`: lets a folder's configuration, as it is now, and its stored runs take effect;
 * says before what that would do. `--revoke` takes it back, `--list` shows what is trusted.
 */
export async function trustCommand(
  given: string | undefined,
  flags: TrustFlags,
  io: Io,
): Promise<ExitCode> {
  if (flags.locale !== undefined) parseLocale(flags.locale);
  const locale = localeOf({
    env: io.env,
    flags: { locale: { flag: '--locale', value: flags.locale } },
  });
  const { list, revoke, yes } = flags;
  if ([list, revoke, yes].filter(Boolean).length > 1) throw usageError('listOrRevoke');
  if (list) return listTrusted(io, locale);
  const path = resolve(io.cwd, given ?? '.');
  if (revoke) return revokeTrust(path, io, locale);
  const subjects = subjectsOf(path, io);
  if (subjects.length === 0) return tell(io, say(locale, 'trustNothing', { path }));
  if (!yes) {
    for (const subject of subjects.filter(({ isTrusted }) => !isTrusted))
      if (!(await agreesTo(subject, io, locale)))
        throw new AgentHubError('untrusted', say(locale, 'notTrusted', { file: subject.file }));
  }
  for (const { file, isTrusted, trust } of subjects) {
    if (!isTrusted) await trust();
    tell(io, say(locale, isTrusted ? 'alreadyTrusted' : 'trusted', { file }));
  }
  return EXIT.done;
}

/** Something that can be trusted. */
interface Subject {
  readonly file: string;
  readonly isTrusted: boolean;
  /** What to trust it means. */
  readonly words: (locale: Locale) => readonly string[];
  readonly trust: () => Promise<void>;
}

async function agreesTo({ words }: Subject, io: Io, locale: Locale): Promise<boolean> {
  if (canAsk(io)) return askTrust(words(locale), io, locale);
  io.stderr.write(`${printable(words(locale).join('\n'))}\n`);
  throw usageError('trustNeedsYes');
}

/** What of a folder or a file needs trust. @throws AgentHubError `usage`, `invalid_config`. */
function subjectsOf(path: string, io: Io): readonly Subject[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw usageError('trustNoPath', { path });
  if (found.isDirectory())
    return [...configSubject(path, io), ...storeSubject(join(path, STORE_FILE), io)];
  if (isDatabase(path)) return storeSubject(path, io);
  if (basename(path) === CONFIG_FILE) return configSubject(dirname(path), io);
  throw usageError('trustOther', { path, name: CONFIG_FILE });
}

function configSubject(cwd: string, { env }: Io): readonly Subject[] {
  // What a variable says today is no part of what the file would do tomorrow.
  const others = Object.entries(env).filter(([name]) => !name.startsWith('AGENTHUB_'));
  const { found } = loadConfiguration({ cwd, env: Object.fromEntries(others), flags: {} });
  if (found === null || found.needsTrust.length === 0) return [];
  const { path: file, isTrusted, needsTrust } = found;
  return [
    {
      file,
      isTrusted,
      words: (locale) => [say(locale, 'fileWould', { file }), ...heldLines(needsTrust, locale)],
      trust: async () => {
        found.trustedSettings();
        await trustFile(found, env);
      },
    },
  ];
}

function storeSubject(file: string, { env }: Io): readonly Subject[] {
  if (!existsSync(file)) return [];
  return [
    {
      file,
      isTrusted: isKnownStore(file, env),
      words: (locale) => [say(locale, 'storeWould', { file })],
      trust: () => rememberStore(file, { by: 'trusted', env }),
    },
  ];
}

function isDatabase(file: string): boolean {
  const head = Buffer.alloc(16);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return head.toString('latin1') === 'SQLite format 3\0';
}

async function revokeTrust(path: string, { env, ...io }: Io, locale: Locale): Promise<ExitCode> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const configs = isFolder ? [join(path, CONFIG_FILE)] : [path];
  const stores = isFolder ? [join(path, STORE_FILE)] : [path];
  const revoked: string[] = [];
  for (const file of configs) if (await revokeFile(placeOf(file), env)) revoked.push(file);
  for (const file of stores) if (forgetStore(file, env)) revoked.push(file);
  if (revoked.length === 0) return tell(io, say(locale, 'notRevoked', { path }));
  for (const file of revoked) tell(io, say(locale, 'revoked', { file }));
  return EXIT.done;
}

function listTrusted({ env, ...io }: Io, locale: Locale): ExitCode {
  const files = trustedFiles(env).map(({ place, digest }) => {
    if (!existsSync(place)) return [place, 'goneSince'] as const;
    const now = digestOf(readBytes(place));
    return [place, now === digest ? 'asTrusted' : 'changedSince'] as const;
  });
  const stores = knownStores(env).map(({ place, by }) => {
    if (!existsSync(place)) return [place, 'goneSince'] as const;
    if (!isKnownStore(place, env)) return [place, 'changedSince'] as const;
    return [place, by === 'made' ? 'madeHere' : 'asTrusted'] as const;
  });
  const rows = [...files, ...stores].sort(([a], [b]) => (a < b ? -1 : 1));
  if (rows.length === 0) return tell(io, say(locale, 'noneTrusted'));
  for (const [place, how] of rows) tell(io, `${place}  (${say(locale, how)})`);
  return EXIT.done;
}

function tell({ stdout }: Pick<Io, 'stdout'>, line: string): ExitCode {
  stdout.write(`${printable(line)}\n`);
  return EXIT.done;
}
