import type { NativeCall } from '../../machines/vocabulary/model.ts';

interface CallSlot {
  /** The provider's index, or the next free number when it gave none. */
  readonly index: number;
  id: string | null;
  name: string;
  arguments: string;
}

/** What a fragment added, for a delta. */
export interface CallFragment {
  readonly index: number;
  readonly text: string;
  /** The tool's name, in the first piece of a call. */
  readonly tool: string | null;
}

/** Tool calls while their fragments arrive. */
export interface CallAssembly {
  readonly slots: CallSlot[];
  /** The newest call at each index of the provider. */
  readonly newest: Map<number, CallSlot>;
}

export function emptyCalls(): CallAssembly {
  return { slots: [], newest: new Map() };
}

/**
 * Adds one streamed fragment (`delta.tool_calls[n]`). Fragments belong together by `index`.
 * Endpoints that send the same index for every call are told apart by a new id with a name; those
 * that send no index, by id, else the fragment continues the last call. A name that comes again
 * is not doubled. Anything that is not a fragment is ignored.
 */
export function addCallFragment(calls: CallAssembly, fragment: unknown): CallFragment | null {
  if (typeof fragment !== 'object' || fragment === null) return null;
  const { index, id, function: called } = fragment as Record<string, unknown>;
  const { name, arguments: input } = (called ?? {}) as Record<string, unknown>;
  const key = { index: indexOf(index), id: textOf(id) || null, name: textOf(name) };
  const known = calls.slots.length;
  const slot = key.index === null ? slotWithoutIndex(calls, key) : slotAt(calls, key.index, key);
  slot.id ??= key.id;
  slot.name = mergedName(slot, key.name);
  const text = argumentText(input);
  slot.arguments += text;
  return { index: slot.index, text, tool: calls.slots.length > known ? slot.name : null };
}

/** The calls in the provider's order. */
export function assembledCalls({ slots }: CallAssembly): readonly NativeCall[] {
  return [...slots]
    .sort((a, b) => a.index - b.index)
    .map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
}

interface FragmentKey {
  readonly id: string | null;
  readonly name: string;
}

function slotAt(calls: CallAssembly, index: number, { id, name }: FragmentKey): CallSlot {
  const slot = calls.newest.get(index);
  const isAnother = slot?.id != null && id !== null && id !== slot.id && name !== '';
  if (slot && !isAnother) return slot;
  const opened = openSlot(calls, slot ? nextIndex(calls) : index);
  calls.newest.set(index, opened);
  return opened;
}

function slotWithoutIndex(calls: CallAssembly, { id, name }: FragmentKey): CallSlot {
  const sameId = id === null ? undefined : calls.slots.find((slot) => slot.id === id);
  if (sameId) return sameId;
  const last = calls.slots.at(-1);
  const startsCall = id !== null || (name !== '' && last?.arguments !== '');
  return last && !startsCall ? last : openSlot(calls, nextIndex(calls));
}

function openSlot(calls: CallAssembly, index: number): CallSlot {
  const slot: CallSlot = { index, id: null, name: '', arguments: '' };
  calls.slots.push(slot);
  return slot;
}

function nextIndex({ slots }: CallAssembly): number {
  return slots.reduce((next, slot) => Math.max(next, slot.index + 1), 0);
}

function mergedName(slot: CallSlot, name: string): string {
  if (name === '' || name === slot.name) return slot.name;
  if (name.startsWith(slot.name)) return name;
  // Pieces of a name can only come before its arguments.
  return slot.arguments === '' ? slot.name + name : slot.name;
}

function indexOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Some endpoints send the arguments as an object instead of its text. */
function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}
