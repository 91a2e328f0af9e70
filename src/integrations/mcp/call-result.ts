import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { canonicalJson, type Locale } from '../../../machines/vocabulary/json.ts';
import { plainLine } from './plain-text.ts';

type Fields = Readonly<Partial<Record<string, unknown>>>;

/**
 * What a server answered to a call, as text for a model: texts as they are, everything else in words.
 * The engine caps it, as every result.
 * @throws AgentHubError `mcp_tool_error` with the server's text when it says that the tool failed,
 * `mcp_call_failed` for what is no result.
 */
export function readResult(answer: Fields, from: { server: string; locale: Locale }): string {
  const { content = [], structuredContent, isError } = answer;
  const texts = TEXTS[from.locale];
  if (!Array.isArray(content)) throw new AgentHubError('mcp_call_failed', texts.bad(from.server));
  const blocks = content.map((block) => describe((block ?? {}) as Fields, from.locale));
  if (structuredContent !== undefined && !content.some((one) => isSame(one, structuredContent)))
    blocks.push(JSON.stringify(structuredContent));
  const text = blocks.join('\n');
  if (isError === true) throw new AgentHubError('mcp_tool_error', text.trim() || texts.noReason);
  return text === '' ? texts.empty : text;
}

/** Servers repeat structured content as text, for clients that do not know it. */
function isSame(block: unknown, structured: unknown): boolean {
  const { type, text } = (block ?? {}) as Fields;
  if (type !== 'text' || typeof text !== 'string') return false;
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(structured);
  } catch {
    return false;
  }
}

function describe(block: Fields, locale: Locale): string {
  const { type, text, data, resource } = block;
  const texts = TEXTS[locale];
  if (type === 'text' && typeof text === 'string') return text;
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
    .map((word) => ` · ${plainLine(word as string, 500)}`)
    .join('');
}

/** The bytes that base64 text stands for. */
function bytesOf(base64: unknown): number {
  if (typeof base64 !== 'string') return 0;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

const TEXTS = {
  zh: {
    image: '图片，不作为文字给出',
    audio: '声音，不作为文字给出',
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
