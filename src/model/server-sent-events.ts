import { createParser } from 'eventsource-parser';

/**
 * The `data` of each server-sent event (WHATWG HTML, section 9.2.6), as text pieces arrive.
 * Give it every piece, then `null` once at the end: an event that was not closed by an empty line
 * is then given too, since endpoints leave out the last one.
 */
export function eventStreamReader(): (piece: string | null) => readonly string[] {
  let events: string[] = [];
  let afterReturn = false;
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });

  return (piece) => {
    events = [];
    // A CRLF may be cut between two pieces.
    const text = afterReturn && piece?.startsWith('\n') ? piece.slice(1) : (piece ?? '\n\n');
    if (piece !== '') afterReturn = text.endsWith('\r');
    // The parser's time grows with the square of a piece in which lines end with CR alone.
    parser.feed(text.replace(/\r\n?/gu, '\n'));
    return events;
  };
}
