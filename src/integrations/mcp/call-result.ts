import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { canonicalJson, isJson, type Locale } from '../../../machines/vocabulary/json.ts';
import { printableLine } from '../../../machines/vocabulary/printable.ts';
import { bytesOf, withoutBinary } from './binary.ts';

type Fields = Readonly<Partial<Record<string, unknown>>>;

/**
 * What a server answered to a call, as text for a model: texts as they are, everything else in words.
 * What stands in `structuredContent` as well is given once, and bytes are described wherever they
 * stand. The engine caps it, as every result.
 * @throws AgentHubError `mcp_tool_error` with the server's text when it says that the tool failed,
 * `mcp_call_failed` for what is no result.
 */
export function readResult(answer: Fields, from: { server: string; locale: Locale }): string {
  const { content = [], structuredContent, isError } = answer;
  const texts = TEXTS[from.locale];
  if (!Array.isArray(content)) throw new AgentHubError('mcp_call_failed', texts.bad(from.server));
  const blocks = content.map((block) => describe((block ?? {}) as Fields, from.locale));
  const rest = untold(structuredContent, content);
  if (rest !== undefined) blocks.push(shownJson(rest, from.locale));
  const text = blocks.join('\n');
  if (isError === true) throw new AgentHubError('mcp_tool_error', text.trim() || texts.noReason);
  return text === '' ? texts.empty : text;
}

/**
 * What structured content says beside the blocks; undefined for nothing. Servers give it as text
 * too, for clients that do not know it: the whole, or one member. Of what is left then, a mere yes
 * or no (`success`, `error: null`) is what the text has said.
 */
function untold(structured: unknown, content: readonly unknown[]): unknown {
  if (structured === undefined || structured === null) return undefined;
  if (content.length === 0 || !isJson(structured) || !isJson(content)) return structured;
  const told = new Set(tellings(content).map(canonicalJson));
  const isTold = (value: unknown) => told.has(canonicalJson(value));
  if (isTold(structured)) return undefined;
  if (typeof structured !== 'object' || Array.isArray(structured)) return structured;
  const members = Object.entries(structured);
  const left = members.filter(([, member]) => !isTold(member));
  const isMere = left.every(([, member]) => typeof member === 'boolean' || member === null);
  if (left.length < members.length && isMere) return undefined;
  return Object.fromEntries(left);
}

/** What blocks say: all of them or one, as they are, as text, and as the JSON that the text holds. */
function tellings(content: readonly unknown[]): readonly unknown[] {
  const texts = content.map(textOf);
  const parts = texts.map((text, index) => text ?? content[index]);
  const read = texts.map((text, index) => (text && parsed(text)) ?? parts[index]);
  const whole = texts.includes(undefined) ? [] : [texts.join('\n')];
  return [content, parts, read, ...content, ...parts, ...read, ...whole];
}

function textOf(block: unknown): string | undefined {
  const { type, text } = (block ?? {}) as Fields;
  return type === 'text' && typeof text === 'string' ? text : undefined;
}

function parsed(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return isJson(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** As it is; only the bytes in JSON are described, as they are where JSON stands beside text. */
function shownText(text: string, locale: Locale): string {
  const json = /^\s*[[{]/u.test(text) ? parsed(text) : undefined;
  if (json === undefined) return text;
  const shown = shownJson(json, locale);
  return shown === JSON.stringify(json) ? text : shown;
}

function shownJson(json: unknown, locale: Locale): string {
  const { binary, bytes } = TEXTS[locale];
  const shown = withoutBinary(json, (kind, count) => `[${binary}${about([kind, bytes(count)])}]`);
  return JSON.stringify(shown) ?? '';
}

function describe(block: Fields, locale: Locale): string {
  const { type, text, data, resource } = block;
  const texts = TEXTS[locale];
  if (type === 'text' && typeof text === 'string') return shownText(text, locale);
  if (type === 'image' || type === 'audio')
    return `[${texts[type]}${about([block.mimeType, texts.bytes(bytesOf(data))])}]`;
  if (type === 'resource_link')
    return `[${texts.link}${about([block.uri, block.title ?? block.name, block.mimeType, block.description])}]`;
  if (type !== 'resource') return `[${texts.other}${about([type])}]`;
  const { uri, mimeType, text: inside, blob } = (resource ?? {}) as Fields;
  if (typeof inside === 'string') return `[${texts.resource}${about([uri, mimeType])}]\n${inside}`;
  return `[${texts.resource}${about([uri, mimeType, texts.bytes(bytesOf(blob))])}]`;
}

function about(words: readonly unknown[]): string {
  return words
    .filter((word) => typeof word === 'string' && word !== '')
    .map((word) => ` · ${printableLine(word as string, 500)}`)
    .join('');
}

const TEXTS = {
  zh: {
    image: '图片，不作为文字给出',
    audio: '声音，不作为文字给出',
    binary: '二进制数据，不作为文字给出',
    resource: '资源',
    link: '资源链接',
    other: '不认识的内容',
    bytes: (count: number) => `${count} 字节`,
    empty: '（完成，没有返回内容）',
    noReason: '服务器没有说明原因。',
    bad: (server: string) => `${server} 的答复不是工具结果的形式；调用可能已经生效。`,
  },
  en: {
    image: 'an image, not given as text',
    audio: 'audio, not given as text',
    binary: 'binary data, not given as text',
    resource: 'a resource',
    link: 'a link to a resource',
    other: 'content of an unknown kind',
    bytes: (count: number) => `${count} bytes`,
    empty: '(Done; nothing was returned.)',
    noReason: 'The server gave no reason.',
    bad: (server: string) =>
      `What ${server} answered has not the form of a tool's result; the call may have taken effect.`,
  },
} as const;
