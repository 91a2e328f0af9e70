/** Does work one after another for each key, in the order asked; different keys at the same time. */
export function oneAtATime() {
  const last = new Map<string, Promise<unknown>>();
  return <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
    const before = last.get(key) ?? Promise.resolve();
    const now = before.catch(() => {}).then(work);
    last.set(key, now);
    const done = () => {
      if (last.get(key) === now) last.delete(key);
    };
    now.then(done, done);
    return now;
  };
}
