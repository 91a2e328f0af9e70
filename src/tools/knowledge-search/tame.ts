/** Deeper indentation and longer rows of markers are cut: the parser's time grows with depth. */
const MAX_INDENT = 48;
const MAX_MARKERS = 24;

/** Marks per paragraph beyond which inline markup is not read. */
const MAX_MARKS = 2000;

const MARKER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/uy;

/**
 * A line without nesting that no person writes: indentation beyond {@link MAX_INDENT} characters,
 * and more than {@link MAX_MARKERS} list or quote markers at its start. No line begins or ends a
 * section differently for it: a heading of the root is never indented by more than three spaces,
 * and ends whatever is nested.
 */
export function tameLine(line: string): string {
  const indented = line.replace(/^[ \t]+/u, (indent) => indent.slice(0, MAX_INDENT));
  let count = 0;
  let kept = 0;
  let end = 0;
  MARKER.lastIndex = 0;
  while (MARKER.test(indented)) {
    count += 1;
    end = MARKER.lastIndex;
    if (count <= MAX_MARKERS) kept = end;
  }
  return count > MAX_MARKERS ? indented.slice(0, kept) + indented.slice(end) : indented;
}

/** Whether reading the inline markup of some paragraph would take disproportionate time. */
export function isCostly(text: string): boolean {
  return text
    .split(/(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)/u)
    .some((block) => (block.match(/[*_`[\]<&\\]/gu)?.length ?? 0) > MAX_MARKS);
}
