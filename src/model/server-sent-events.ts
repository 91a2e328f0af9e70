/**
 * The `data` of each server-sent event (WHATWG HTML, section 9.2.6), as text pieces arrive: line
 * ends LF, CRLF or CR, comments and other fields ignored, several data lines joined by LF.
 * Give it every piece, then `null` once at the end: an event that was not closed by an empty line
 * is then given too, since endpoints leave out the last one.
 */
export function eventStreamReader(): (piece: string | null) => readonly string[] {
  let rest = '';
  let data: string[] = [];
  let afterReturn = false;

  const close = (events: string[]): void => {
    if (data.length > 0) events.push(data.join('\n'));
    data = [];
  };
  const takeLine = (line: string, events: string[]): void => {
    if (line === '') close(events);
    else if (line === 'data') data.push('');
    else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  };

  return (piece) => {
    const events: string[] = [];
    if (piece === null) {
      takeLine(rest, events);
      close(events);
      rest = '';
      return events;
    }
    // A CRLF may be cut between two pieces.
    const text = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') afterReturn = piece.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/u);
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line, events);
    return events;
  };
}
