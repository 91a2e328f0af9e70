/** What a terminal obeys or a reader cannot see; line ends, tabs and the joiners of scripts stay. */
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/**
 * A server's words about itself, with every hidden character shown as its code: what the model
 * reads of a tool is what a person can read of it.
 */
export function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same on one line, and short. */
export function plainLine(text: string, longest = 200): string {
  const line = plainText(text).replace(/\s+/gu, ' ').trim();
  const characters = [...line.slice(0, 2 * longest)];
  return characters.length <= longest ? line : `${characters.slice(0, longest).join('')}…`;
}
