import { resolve } from 'node:path';
import type { HookEvent } from '../../../machines/agent/matcher.ts';
import type { Locale, LocalizedText } from '../../../machines/vocabulary/json.ts';
import { printable, printableJson } from '../../../machines/vocabulary/printable.ts';
import {
  callOf,
  formatMermaid,
  formatSteps,
  formatTest,
  hostWorlds,
  isBroken,
  type NamedWorld,
  type PropertyResult,
  SHIPPED_WORLDS,
  type Verification,
  verify,
} from '../../testing/index.ts';
import { buildAgentToShow } from '../build-agent.ts';
import { agreedSettings } from '../command-settings.ts';
import { type Settings, unflatten } from '../config.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { EXTENSION_FLAG, type Extension, loadExtension } from '../extension.ts';
import { type CommonFlags, parseWord } from '../flags.ts';
import { colorsOf, type Io, isLive } from '../io.ts';
import { loadProperties, type PropertyModule, propertiesOf } from '../property-module.ts';
import { toStdout } from '../stored-lines.ts';
import { checkWritable, writeWhole } from '../write-whole.ts';

export interface VerifyFlags extends CommonFlags {
  readonly property?: string;
  readonly calls?: string;
  readonly json?: boolean;
  readonly html?: string;
}

const TEXTS = {
  property: { zh: '性质', en: 'property' },
  holds: { zh: '成立', en: 'holds' },
  broken: { zh: '不成立', en: 'broken' },
  unapplied: { zh: '未检验', en: 'unchecked' },
  whyUnapplied: {
    zh: '任何世界的任何状态里都没有它所说的调用，所以它不可能不成立。请检查工具名和 where，或导出 worlds，其中有这样的调用（hostWorlds、callOf）。',
    en: 'No call in any state of any world is one it is about, so it could not fail. Look at its tool and its where, or export worlds with such calls (hostWorlds, callOf).',
  },
  states: { zh: '状态', en: 'states' },
  edges: { zh: '边', en: 'edges' },
  replayed: { zh: '条边在真实运行中重放', en: 'edges replayed on live actors' },
  mismatches: { zh: '处不一致', en: 'mismatches' },
  cycles: { zh: '个环，每个都有界', en: 'cycles of the chart, each bounded' },
  unbounded: { zh: '个环没有界限', en: 'cycles without a bound' },
  exploring: { zh: '正在探索', en: 'exploring' },
} as const satisfies Record<string, LocalizedText>;

/** `agenthub verify`: every property on every path of the machine, in the shipped or your worlds. */
export async function verifyCommand(flags: VerifyFlags, io: Io): Promise<ExitCode> {
  const settings = await agreedSettings(flags, io);
  const { locale = 'en' } = unflatten(settings);
  const calls = parseWord('--calls', flags.calls ?? '2', ['1', '2']) === '1' ? 1 : 2;
  const html = flags.html === undefined ? null : resolve(io.cwd, flags.html);
  if (html !== null) await checkWritable(html);
  const extension = await loadExtension(settings);
  const own = await ownProperties(flags, io, extension);
  const isHosts = flags.config !== undefined || extension !== null;
  const worlds = own?.worlds ?? (isHosts ? await worldsOf(settings, io, calls) : shipped(calls));
  const result = await verify({
    worlds,
    properties: own?.properties ?? [],
    onProgress: ({ world, edges }) => {
      if (isLive(io)) io.stderr.write(`\r\u001b[2K${TEXTS.exploring[locale]} ${world}: ${edges}`);
    },
  });
  if (isLive(io)) io.stderr.write('\r\u001b[2K');
  if (html !== null) await writeWhole(html, toHtml(result, locale));
  if (flags.json) io.stdout.write(`${printableJson(result)}\n`);
  else writeReport(result, io, { locale, worlds, module: own?.module });
  return result.holds ? EXIT.done : EXIT.failed;
}

/** The person's own properties, and the module they come from as a test imports it. */
async function ownProperties(
  { property, extension: named }: VerifyFlags,
  { cwd }: Io,
  extension: Extension | null,
): Promise<(PropertyModule & { readonly module: string }) | null> {
  if (property !== undefined)
    return { ...(await loadProperties(resolve(cwd, property))), module: property };
  const { properties, worlds } = extension?.exports ?? {};
  if (extension === null || (properties === undefined && worlds === undefined)) return null;
  const origin = { flag: EXTENSION_FLAG, file: extension.file };
  const found = propertiesOf({ properties: properties ?? [], worlds }, origin);
  return { ...found, module: named ?? extension.file };
}

function shipped(calls: 1 | 2): readonly NamedWorld[] {
  if (calls === 2) return SHIPPED_WORLDS;
  return SHIPPED_WORLDS.filter(({ name }) => name.startsWith('one call'));
}

/** The worlds of the configured agent: its tools, its policies, its hooks answering anything. */
async function worldsOf(settings: Settings, io: Io, callsPerReply: 1 | 2) {
  const agent = await buildAgentToShow(settings, io);
  const { hooks } = agent.input('verify');
  return hostWorlds({
    policies: agent.policies,
    hooks: hooks as readonly { event: HookEvent }[],
    calls: agent.tools.map(({ name }) => callOf(name)),
    callsPerReply,
  });
}

/** A property's result: the world it was found broken in, and whether it applied in any. */
type Row = PropertyResult & { readonly world: string };

/** One row per property: it holds if it does in every world, and applied in one. */
function rowsOf({ worlds }: Verification): readonly Row[] {
  const [first] = worlds;
  return (first?.results ?? []).map((result, index) => {
    const all = worlds.flatMap(({ name, results }) => {
      const found = results[index];
      return found === undefined ? [] : [{ ...found, world: name }];
    });
    const broken = all.find(({ counterexample }) => counterexample !== null);
    const applied = all.some((one) => one.applied);
    return broken ?? { ...result, applied, world: first?.name ?? '' };
  });
}

function wordOf(row: Row): 'broken' | 'unapplied' | 'holds' {
  if (isBroken(row)) return 'broken';
  return row.applied ? 'holds' : 'unapplied';
}

interface Origins {
  readonly worlds: readonly NamedWorld[];
  /** The user's own module as it was named, or undefined. */
  readonly module: string | undefined;
}

/** The test that a broken property is printed as. */
function testOf(row: Row & Parameters<typeof formatTest>[0], { worlds, module }: Origins): string {
  const found = worlds.find(({ name }) => name === row.world) ?? worlds[0];
  if (found === undefined) return '';
  const path = module === undefined || /^[./]/u.test(module) ? module : `./${module}`;
  return formatTest(row, { world: found.world, ...(path !== undefined && { module: path }) });
}

function writeReport(
  result: Verification,
  io: Io,
  { locale, ...origins }: Origins & { readonly locale: Locale },
): void {
  const colors = colorsOf(toStdout(io));
  const write = (text: string) => io.stdout.write(`${text}\n`);
  for (const { name, states, edges, replayed, mismatches } of result.worlds) {
    const counts = `${states} ${TEXTS.states[locale]}, ${edges} ${TEXTS.edges[locale]}`;
    const live = `${replayed} ${TEXTS.replayed[locale]}, ${mismatches.length} ${TEXTS.mismatches[locale]}`;
    write(printable(`${name}: ${counts}; ${live}`));
  }
  const unbounded = result.cycles.filter(({ bounds }) => bounds.length === 0);
  const cycles = unbounded.length > 0 ? unbounded.length : result.cycles.length;
  write(`${cycles} ${TEXTS[unbounded.length > 0 ? 'unbounded' : 'cycles'][locale]}`);
  for (const { states } of unbounded) write(`  ${states.join(' → ')}`);
  write('');
  const rows = rowsOf(result);
  const width = Math.max(...rows.map(({ id }) => id.length));
  for (const row of rows) {
    const word = wordOf(row);
    const said = colors[word === 'holds' ? 'green' : 'red'](TEXTS[word][locale]);
    write(`${printable(row.id.padEnd(width))}  ${said}  ${printable(row.text)}`);
    if (word === 'unapplied') write(`  ${TEXTS.whyUnapplied[locale]}`);
  }
  for (const broken of rows.filter(isBroken))
    write(
      printable(
        `\n${formatSteps(broken)}\n\n${formatMermaid(broken)}\n\n${testOf(broken, origins)}`,
      ),
    );
}

function toHtml(result: Verification, locale: Locale): string {
  const rows = rowsOf(result).map((row) => {
    const word = wordOf(row);
    const path = isBroken(row) ? `<pre>${escapeHtml(formatSteps(row))}</pre>` : '';
    const why = word === 'unapplied' ? `<p>${TEXTS.whyUnapplied[locale]}</p>` : '';
    return `<tr><td>${escapeHtml(row.id)}</td><td>${TEXTS[word][locale]}</td><td>${escapeHtml(row.text)}${path}${why}</td></tr>`;
  });
  const worlds = result.worlds.map(
    ({ name, states, edges, replayed, mismatches }) =>
      `<tr><td>${escapeHtml(name)}</td><td>${states}</td><td>${edges}</td><td>${replayed}</td><td>${mismatches.length}</td></tr>`,
  );
  const head = ['', TEXTS.states, TEXTS.edges, TEXTS.replayed, TEXTS.mismatches]
    .map((text) => `<th>${typeof text === 'string' ? text : text[locale]}</th>`)
    .join('');
  return `<!doctype html>
<html lang="${locale === 'zh' ? 'zh-CN' : 'en'}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>agenthub verify</title>
<style>:root{color-scheme:light dark;font:16px/1.5 system-ui}body{max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;margin-bottom:2rem}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0}</style>
<h1>agenthub verify</h1>
<table><tr>${head}</tr>${worlds.join('')}</table>
<table>${rows.join('')}</table>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
}
