import { expect, it } from 'vitest';
import { LiveRegion } from '../../src/cli/live-region.ts';
import { fakeIo } from './fake-io.ts';

const lines = (...texts: string[]) => texts.map((text) => ({ text }));

it('draws over what it drew, with permanent text above', () => {
  const person = fakeIo({ tty: true, columns: 20 });
  const region = new LiveRegion(person.io);
  region.draw(lines('one', 'two', 'three'));
  region.draw(lines('four'), 'kept\n');
  expect(person.screen.text).toBe('kept\nfour');
  region.erase();
  expect(person.screen.text).toBe('kept');
});

it('leaves the cursor where an echoed ^C does not wrap', () => {
  const person = fakeIo({ tty: true, columns: 20 });
  new LiveRegion(person.io).draw(lines('x'.repeat(19)));
  person.screen.write('^C');
  expect([person.screen.text, person.screen.wraps]).toEqual([`^C${'x'.repeat(17)}`, 0]);
});

it('goes up by as many rows as a narrower screen has made of its lines', () => {
  const person = fakeIo({ tty: true, columns: 40 });
  const region = new LiveRegion(person.io);
  region.draw(lines('a'.repeat(39), '中'.repeat(12), 'c'.repeat(39)));
  Object.assign(person.io.stderr, { columns: 20 });
  const before = person.rawErr().length;
  region.erase();
  // Two rows of a, two of 中; the cursor is at the start of c.
  expect(person.rawErr().slice(before)).toBe('\r\u001b[4A\u001b[J');
});

it('never has more rows than the screen', () => {
  const person = fakeIo({ tty: true, columns: 20, rows: 4 });
  const region = new LiveRegion(person.io);
  region.draw(lines('1', '2', '3', '4', '5', '6'));
  expect(person.screen.text).toBe('1\n2\n3');
  region.erase();
  expect(person.screen.text).toBe('');
});
