/** The two ways of writing steps, and the readers they are made of. */
export {
  type ArgumentsCode,
  type ArgumentsFailure,
  type ArgumentsReading,
  parseArguments,
} from './json-arguments.ts';
export { nativeCalls } from './native-calls.ts';
export type { Protocol } from './protocol.types.ts';
export { parseReactText, type ReactCode, type ReactReading } from './react-text.parse.ts';
export { reactText } from './react-text.ts';
