import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { orAborted, timeLimit } from '../support/abort.ts';
import { usageError } from './usage-error.ts';

/** Milliseconds that a module has to load: it may connect to something first. */
const PATIENCE = 30_000;

export interface LoadModuleOptions {
  /** The flag that names the file, for complaints. */
  readonly flag: string;
  /** Milliseconds; {@link PATIENCE} by default. */
  readonly patience?: number;
}

/**
 * Loads a JavaScript module that a person named: its code runs here. Gives what it exports.
 * @throws AgentHubError `usage` naming the file and what is wrong with it.
 */
export async function loadModule(
  file: string,
  { flag, patience = PATIENCE }: LoadModuleOptions,
): Promise<Readonly<Record<string, unknown>>> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw usageError('noSuchModule', { flag, file });
  const seconds = Math.ceil(patience / 1_000);
  const reason = () => usageError('neverLoaded', { flag, file, seconds });
  const limit = timeLimit(patience, { reason });
  const loading = import(pathToFileURL(file).href).catch((thrown: unknown) => {
    throw notLoaded(file, flag, thrown);
  });
  return orAborted(loading, limit.signal).finally(limit.end);
}

function notLoaded(file: string, flag: string, thrown: unknown): AgentHubError {
  const { code } = (thrown ?? {}) as { code?: unknown };
  // Later versions of Node strip types themselves, except in packages and for some syntax.
  const isOfNode = code === 'ERR_UNKNOWN_FILE_EXTENSION' || String(code).includes('TYPESCRIPT');
  const isTypeScript = /\.[cm]?tsx?$/u.test(file) && isOfNode;
  if (isTypeScript) return usageError('notJavaScript', { flag, file, version: process.version });
  return usageError('notLoaded', { flag, file, why: whyOf(file, thrown) });
}

/** What was thrown, and the first place of a file in its stack, such as ` (/home/ada/own.mjs:3:7)`. */
function whyOf(file: string, thrown: unknown): string {
  if (!(thrown instanceof Error)) return inspect(thrown);
  const place = placeIn(thrown.stack ?? '') ?? (isSyntax(thrown) ? placeOfSyntax(file) : null);
  return place === null ? String(thrown) : `${String(thrown)} (${place})`;
}

function isSyntax(error: Error): boolean {
  return error.name === 'SyntaxError';
}

/** Node keeps the place of a syntax error to itself, unless it is asked to check the file. */
function placeOfSyntax(file: string): string | null {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  const [first = ''] = stderr.split('\n');
  const line = /:(\d+)$/u.exec(first)?.[1];
  return line === undefined ? null : `${file}:${line}`;
}

function placeIn(text: string): string | null {
  const [, address, place] = /(file:\/\/[^\s()]+?)((?::\d+){1,2})(?=[\s)]|$)/u.exec(text) ?? [];
  return address === undefined ? null : `${fileURLToPath(address)}${place}`;
}
