import { granted, never, onlyAfter, starts } from 'agenthub/testing';

const pictures = { tool: 'image_scaling' };

export const properties = [
  onlyAfter('pictures', starts(pictures), granted({ ...pictures, approval: 'use' })),
  never('no plan', starts({ tool: 'todo_write' })),
];
