import type { Circumstances, Decision, Facts } from '../../machines/permission/evaluate.ts';
import { APPROVALS, type Approval } from '../../machines/permission/reasons.ts';

/** All that a decision of the shipped policies rests on. */
export interface Case {
  readonly tool: string;
  readonly isPrivate: boolean;
  readonly isOutside: boolean;
  readonly serviceAllowed: boolean;
  readonly outputExists: boolean;
  readonly hookAsks: boolean;
  readonly outcomeUnknown: boolean;
  readonly approved: ReadonlySet<Approval>;
}

/** The facts of a case as the evaluator takes them. */
export function factsOf(given: Omit<Case, 'approved'>): Facts & Circumstances {
  return {
    toolName: given.tool,
    touchesPrivate: given.isPrivate,
    outsideAllowedArea: given.isOutside,
    serviceAllowed: given.serviceAllowed,
    outputExists: given.outputExists,
    identity: null,
    hookQuestions: given.hookAsks ? [{ source: 'gate', text: 'sure?' }] : [],
    outcomeUnknown: given.outcomeUnknown,
  } as unknown as Facts & Circumstances;
}

/** Every combination of `count` yes-or-no values. */
function combinations(count: number): boolean[][] {
  return Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (__, place) => (bits & (1 << place)) !== 0),
  );
}

/** Every set of approvals. */
export const approvalSets = combinations(APPROVALS.length).map((chosen) =>
  APPROVALS.filter((_, index) => chosen[index]),
);

/** Every case, of the shipped tools and of two that no policy covers. */
export function* everyCase(): Generator<Case> {
  for (const tool of ['image_scaling', 'knowledge_search', 'todo_write', 'echo', 'no_such_tool'])
    for (const bits of combinations(6)) {
      const [isPrivate, isOutside, serviceAllowed, outputExists, hookAsks, outcomeUnknown] =
        bits as [boolean, boolean, boolean, boolean, boolean, boolean];
      const part = { isPrivate, isOutside, serviceAllowed, outputExists, hookAsks, outcomeUnknown };
      for (const approvals of approvalSets) yield { tool, ...part, approved: new Set(approvals) };
    }
}

/** Facts of a call that nothing stands against. */
export const plain: Facts = {
  toolName: 'image_scaling',
  touchesPrivate: false,
  outsideAllowedArea: false,
  serviceAllowed: true,
  outputExists: false,
  identity: null,
};

/** The codes of a decision's reasons. */
export const codes = ({ reasons }: Decision) => reasons.map(({ code }) => code);
