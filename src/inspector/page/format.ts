/** Milliseconds as a person reads them: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${minutes} min ${seconds % 60} s`;
}

/** `1203`, `12.3k`. */
export function count(value: number): string {
  return value < 10_000 ? String(value) : `${(value / 1_000).toFixed(1)}k`;
}

export function time(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hourCycle: 'h23' });
}

/** The same with the date, unless it is today. */
export function moment(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday ? time(at) : new Date(at).toLocaleString(undefined, { hourCycle: 'h23' });
}

/** Any JSON as text, indented; a text as it is. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** For labels of the chart, which have little room: `999`, `2.2k`, `13k`. */
export function briefly(value: number): string {
  if (value < 1_000) return String(value);
  return `${(value / 1_000).toFixed(value < 10_000 ? 1 : 0)}k`;
}
