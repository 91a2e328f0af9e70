import { auditLine, createAgent, createDefaultTools, defineHook } from 'agenthub';
import { offlineModel } from 'agenthub/offline';

// #region
const officeHours = defineHook({
  name: 'office-hours',
  event: 'UserPromptSubmit',
  run: () => ({ decision: 'proceed', context: 'The office is closed today.' }),
});
const noPictures = defineHook({
  name: 'no-pictures',
  event: 'PreToolUse',
  matcher: 'image_scaling',
  run: ({ input }) => ({ decision: 'block', reason: `not today: ${JSON.stringify(input)}` }),
});
// #endregion

const agent = createAgent({
  model: offlineModel(),
  tools: createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' }),
  hooks: [officeHours, noPictures, ...auditLine((line) => console.log(line))],
  createId: () => 'run-1',
});
const outcome = await agent.start('Resize a.jpg to 320 px wide and save it as b.webp').outcome;
console.log(outcome.status === 'done' ? outcome.answer : outcome);
