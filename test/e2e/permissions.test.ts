import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../machines/permission/reasons.ts';
import { scaleAsAsked, withImageService } from '../tools/image-service.ts';
import { noise, plain } from '../tools/pictures.ts';
import { codesOf, expectPicture, inWorkshop, steps } from './workshop.ts';

const OUTSIDE = 'outside_not_approved';
const SERVICE = 'service_not_approved';
const OVERWRITE = 'overwrite_not_approved';
const ALL_THREE = [OUTSIDE, SERVICE, OVERWRITE];
const PROMPT = '把 pictures/photo.jpg 缩放到 64 宽，存成 elsewhere/out.png';

async function makePictures(folder: string): Promise<void> {
  await mkdir(join(folder, 'pictures'));
  await mkdir(join(folder, 'elsewhere'));
  await noise(128, 80).jpeg().toFile(join(folder, 'pictures/photo.jpg'));
  await plain(9, 9).png().toFile(join(folder, 'elsewhere/out.png'));
}

/** All three conditions at once. The service has a public address and is never reached. */
const strict = {
  prepare: makePictures,
  tools: (folder: string) => ({
    allowedFolders: [`${folder}/pictures`],
    imageService: { url: 'http://9.9.9.9:1/scale', timeout: 100 },
  }),
};

describe('all three conditions of a picture at once', () => {
  it('give three reasons, in order, and nothing happens without an answer to all', async () => {
    await inWorkshop(async (workshop) => {
      const before = await readFile(workshop.path('elsewhere/out.png'));
      const worked = await workshop.work(PROMPT);
      expect(worked.questions).toHaveLength(1);
      const [question] = worked.questions;
      expect(question?.missing).toEqual(['outside', 'service', 'overwrite']);
      expect(question?.reasons.map(({ zh }) => zh)).toEqual([
        '访问允许区域之外的图片目标尚未获批',
        '未被许可的服务还尚未被允许',
        '试图覆盖已有内容但是尚未被允许',
      ]);
      expect(steps(worked)).toEqual(['image_scaling denied']);
      expect(codesOf(worked.observations[0])).toEqual(['person_denied', ...ALL_THREE]);
      const decisions = worked.run.trace.filter(({ kind }) => kind === 'decision');
      expect(decisions).toMatchObject([{ action: 'ask', reasons: question?.reasons }]);
      expect(await readFile(workshop.path('elsewhere/out.png'))).toEqual(before);
    }, strict);
  });

  it.each([
    [['outside'], [SERVICE, OVERWRITE]],
    [['service'], [OUTSIDE, OVERWRITE]],
    [['overwrite'], [OUTSIDE, SERVICE]],
    [['outside', 'overwrite'], [SERVICE]],
    [['service', 'overwrite'], [OUTSIDE]],
    [['outside', 'service'], [OVERWRITE]],
  ] as [Approval[], string[]][])('approving %j removes only its own', async (approvals, left) => {
    await inWorkshop(async (workshop) => {
      const before = await readFile(workshop.path('elsewhere/out.png'));
      const worked = await workshop.work(PROMPT, (question, run) =>
        question.missing.length === 3 ? run.approve(question, { approvals }) : run.deny(question),
      );
      expect(worked.questions.map(codesOf)).toEqual([ALL_THREE, left]);
      expect(worked.questions.map(({ earlierApprovalVoid }) => earlierApprovalVoid)).toEqual([
        false,
        false,
      ]);
      expect(steps(worked)).toEqual(['image_scaling denied']);
      expect(await readFile(workshop.path('elsewhere/out.png'))).toEqual(before);
    }, strict);
  });

  it('one at a time, in any order, until nothing is missing', async () => {
    await withImageService(scaleAsAsked, async ({ origin, calls }) => {
      await inWorkshop(
        async (workshop) => {
          const worked = await workshop.work(PROMPT, (question, run) => {
            const refused = run.approve(question, { approvals: ['service'] });
            expect(refused).toMatchObject({ code: 'not_missing' });
            return run.approve(question, { approvals: question.missing.slice(-1) });
          });
          expect(worked.questions.map(codesOf)).toEqual([[OUTSIDE, OVERWRITE], [OUTSIDE]]);
          expect(steps(worked)).toEqual(['image_scaling ok']);
          expect(calls).toMatchObject([{ params: { width: 64, height: 40, format: 'png' } }]);
          const picture = { width: 64, height: 40, format: 'png' };
          await expectPicture(workshop.path('elsewhere/out.png'), picture);
        },
        {
          prepare: makePictures,
          tools: (folder) => ({
            allowedFolders: [`${folder}/pictures`],
            imageService: { url: `${origin}/scale` },
            allowedServices: [origin],
          }),
        },
      );
    });
  });
});

describe('a service', () => {
  it.each([
    'http://127.0.0.1:1/scale',
    'http://169.254.169.254/scale',
    'http://user:secret@9.9.9.9/scale',
    'not a url',
  ])('%s is never used, whoever asks', async (url) => {
    await inWorkshop(
      async ({ work }) => {
        const worked = await work('把 photo.jpg 缩放到 64 宽，存成 out.png');
        expect(worked.questions).toEqual([]);
        expect(worked.observations[0]).toMatchObject({
          outcome: 'facts_unavailable',
          reasons: [{ code: 'facts_unavailable', approval: null }],
        });
        expect(JSON.stringify(worked.outcome)).not.toContain('secret');
      },
      { tools: () => ({ imageService: { url } }) },
    );
  });
});

describe('a private area', () => {
  it('beats the policy that allows knowledge_search', async () => {
    await inWorkshop(
      async ({ work, requests }) => {
        const worked = await work('七天无理由退货的运费由谁承担？');
        expect(worked.questions).toEqual([]);
        expect(worked.observations.length).toBeGreaterThan(0);
        for (const { outcome, reasons } of worked.observations) {
          expect(outcome).toBe('denied');
          expect(reasons.map(({ zh }) => zh)).toEqual(['普通授权不能解除这个禁止']);
        }
        expect(worked.answer).not.toContain('来源：');
        expect(JSON.stringify(requests)).not.toContain('寄回运费');
      },
      { tools: (folder) => ({ privateFolders: [`${folder}/knowledge`] }) },
    );
  });

  it('beats every condition that could be approved: one reason, and no question', async () => {
    await inWorkshop(
      async (workshop) => {
        const worked = await workshop.work(PROMPT);
        expect(worked.questions).toEqual([]);
        expect(codesOf(worked.observations[0])).toEqual(['touches_private']);
      },
      {
        prepare: makePictures,
        tools: (folder) => ({
          ...strict.tools(folder),
          privateFolders: [`${folder}/elsewhere`],
        }),
      },
    );
  });
});

describe('echo', () => {
  it('is registered and not covered: exactly one reason', async () => {
    await inWorkshop(async ({ work }) => {
      const worked = await work('回显 今天天气不错');
      expect(worked.questions).toEqual([]);
      expect(worked.observations).toMatchObject([{ tool: 'echo', outcome: 'denied' }]);
      expect(worked.observations[0]?.reasons.map(({ zh }) => zh)).toEqual(['未定义该工具']);
      expect(worked.answer).toContain('未定义该工具');
    });
  });

  it('runs with one line of configuration', async () => {
    await inWorkshop(
      async ({ work }) => {
        const worked = await work('回显 今天天气不错');
        expect(worked.observations).toMatchObject([{ tool: 'echo', outcome: 'ok' }]);
        expect(worked.answer).toContain('今天天气不错');
      },
      { agent: { permissions: { policies: { echo: 'allow' } } } },
    );
  });
});
