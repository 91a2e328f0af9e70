/** The words every room shares. Types, one error class, and pure readings of the history. */
export * from './errors.ts';
export * from './json.ts';
export * from './messages.ts';
export * from './model.ts';
export * from './step.ts';
export * from './time.ts';
export * from './todos.ts';
