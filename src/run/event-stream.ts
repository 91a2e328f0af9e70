/** Makes one value of two that follow each other, or null where they are two. */
export type Merge<Value> = (last: Value, next: Value) => Value | null;

/**
 * Values for any number of readers. What was kept is given to readers that come later; what was
 * only passed (`pass`) goes to those who are reading. Until there is a first reader, it is kept too,
 * merged into as few values as possible: who begins to read a moment late has missed nothing.
 */
export class EventStream<Value> {
  readonly #merge: Merge<Value>;
  #kept: Value[] = [];
  /** What is kept only for the first reader; null once there was one. */
  #early: Set<Value> | null = new Set();
  readonly #readers = new Set<Reader<Value>>();
  /** Where the current leg begins: readers that come later start there. */
  #legStart = 0;
  #open = true;

  constructor(merge: Merge<Value> = () => null) {
    this.#merge = merge;
  }

  /** Gives a value to every reader, now and later. */
  keep(value: Value): void {
    this.#kept.push(value);
    this.#give(value);
  }

  /** Gives a value to those who are reading, or to the first who will. */
  pass(value: Value): void {
    if (this.#early === null) this.#give(value);
    else this.#keepEarly(value, this.#early);
  }

  #keepEarly(value: Value, early: Set<Value>): void {
    const last = this.#kept.at(-1);
    const merged = last !== undefined && early.has(last) ? this.#merge(last, value) : null;
    if (merged !== null && last !== undefined) {
      early.delete(last);
      this.#kept.pop();
    }
    early.add(merged ?? value);
    this.#kept.push(merged ?? value);
  }

  #give(value: Value): void {
    for (const reader of this.#readers) reader.push(value);
  }

  /** Ends the leg: readers finish after what they were given. */
  close(): void {
    this.#open = false;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  /** Begins a new leg, from which later readers read. */
  reopen(): void {
    if (this.#open) return;
    this.#open = true;
    this.#legStart = this.#kept.length;
  }

  read(): AsyncIterator<Value> {
    const reader = new Reader<Value>(this.#kept.slice(this.#legStart), () =>
      this.#readers.delete(reader),
    );
    this.#forgetEarly();
    if (this.#open) this.#readers.add(reader);
    else reader.end();
    return reader;
  }

  /** The first reader has it; later ones are given what is kept for all. */
  #forgetEarly(): void {
    const early = this.#early;
    if (early === null) return;
    this.#early = null;
    const isKept = (value: Value) => !early.has(value);
    this.#legStart = this.#kept.slice(0, this.#legStart).filter(isKept).length;
    this.#kept = this.#kept.filter(isKept);
  }
}

class Reader<Value> implements AsyncIterator<Value> {
  readonly #queue: Value[];
  readonly #leave: () => void;
  #next = 0;
  #ended = false;
  #waiting: ((result: IteratorResult<Value>) => void)[] = [];

  constructor(queue: Value[], leave: () => void) {
    this.#queue = queue;
    this.#leave = leave;
  }

  push(value: Value): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting({ done: false, value });
    else this.#queue.push(value);
  }

  end(): void {
    this.#ended = true;
    for (const waiting of this.#waiting) waiting({ done: true, value: undefined });
    this.#waiting = [];
  }

  next(): Promise<IteratorResult<Value>> {
    if (this.#next < this.#queue.length) {
      const value = this.#queue[this.#next] as Value;
      this.#next += 1;
      this.#trim();
      return Promise.resolve({ done: false, value });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<Value>> {
    this.#leave();
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Lets go of what was read, now and then, so that a long run does not pile up. */
  #trim(): void {
    if (this.#next < 1024 || this.#next * 2 < this.#queue.length) return;
    this.#queue.splice(0, this.#next);
    this.#next = 0;
  }
}
