/** Everything pure: the machine, the permission evaluator and the words they share. */
export * from './agent/index.ts';
export * from './permission/index.ts';
export * from './vocabulary/index.ts';
