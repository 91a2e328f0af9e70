import { parseArguments } from '../../src/protocol/json-arguments.ts';
import { parseReactText } from '../../src/protocol/react-text.parse.ts';
import { stripThinking } from '../../src/protocol/think.ts';
import { type Bench, timeOf } from './bench.ts';
import { ARGUMENTS, REPLIES, type Shape } from './parser.shapes.ts';

const SMALL = 100_000;
const LARGE = 1_000_000;
const MOST = 15;
const MOST_ROUNDS = 12;
/** Times below this many milliseconds say more about the clock and the collector than the reader. */
const FLOOR = 1;

/** Both protocols' readers on ordinary and hostile texts: ten times the text, at most 15 times the time. */
export const parser: Bench = {
  async run() {
    const readings = [
      measure('react-text', REPLIES, parseReactText),
      measure('native answer', REPLIES, stripThinking),
      measure('native arguments', ARGUMENTS, parseArguments),
    ];
    const worst = Math.max(...readings);
    const holds = worst <= MOST;
    console.log(`\nworst ratio ${worst.toFixed(1)}, allowed ${MOST}: ${holds ? 'ok' : 'TOO SLOW'}`);
    return holds;
  },
};

function measure(title: string, shapes: readonly Shape[], read: (text: string) => unknown): number {
  console.log(
    `\n${title.padEnd(40)}${'100 kB'.padStart(12)}${'1 MB'.padStart(12)}${'ratio'.padStart(8)}`,
  );
  const ratios = shapes.map((shape) => {
    const { small, large, ratio } = compare(shape, read);
    const figures = [small, large].map((time) => `${time.toFixed(2)} ms`.padStart(12)).join('');
    console.log(`${shape.name.padEnd(40)}${figures}${ratio.toFixed(1).padStart(8)}`);
    return ratio;
  });
  return Math.max(...ratios);
}

/**
 * The least times of several rounds: what else the machine does only ever adds. Rounds go on
 * while the ratio is over the limit, up to a number that a quadratic reader cannot profit from.
 */
function compare(shape: Shape, read: (text: string) => unknown) {
  const smallText = textOf(shape, SMALL);
  const largeText = textOf(shape, LARGE);
  let small = Number.POSITIVE_INFINITY;
  let large = Number.POSITIVE_INFINITY;
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 2 || (ratio > MOST && round < MOST_ROUNDS); round += 1) {
    for (let count = 0; count < 3; count += 1) {
      small = Math.min(
        small,
        timeOf(() => read(smallText)),
      );
    }
    large = Math.min(
      large,
      timeOf(() => read(largeText)),
    );
    ratio = large / Math.max(small, FLOOR);
  }
  return { small, large, ratio };
}

function textOf({ before = '', unit, after = '' }: Shape, size: number): string {
  return before + unit.repeat(Math.ceil(size / unit.length)) + after;
}
