import { z } from 'zod';
import { formatOfName, IMAGE_FORMATS, MAX_SIDE } from './formats.ts';
import type { ImageScalingInput } from './image-scaling.types.ts';

const path = z.string().refine((text) => text.trim() !== '' && !/\p{Cc}/u.test(text), {
  params: {
    zh: '路径不能为空，也不能含控制字符',
    en: 'a path must not be empty or contain control characters',
  },
});

const side = z.int().min(1).max(MAX_SIDE).optional();

/** The schema of `image_scaling`: nothing is coerced, nothing unknown is let through. */
export const imageScalingInput = z
  .strictObject({
    input: path.meta({ description: 'Path of the picture to read', zh: '要读取的图片路径' }),
    output: path.meta({
      description:
        'Path of the picture to write, ending in .jpg, .jpeg, .png, .webp, .gif or .avif',
      zh: '要写入的图片路径，以 .jpg、.jpeg、.png、.webp、.gif 或 .avif 结尾',
    }),
    width: side.meta({ description: 'Width in pixels', zh: '宽，像素' }),
    height: side.meta({ description: 'Height in pixels', zh: '高，像素' }),
    fit: z.enum(['inside', 'outside', 'cover', 'contain', 'fill']).optional().meta({
      description:
        'How both sides are met: inside (default) keeps the proportions and crops nothing',
      zh: '同时给出宽和高时如何适应：inside（默认）保持比例、不裁剪',
    }),
    format: z.enum(IMAGE_FORMATS).optional().meta({
      description: 'The format of the output; it must agree with its extension',
      zh: '输出格式，必须与扩展名一致',
    }),
  })
  .superRefine((value, context) => {
    for (const issue of findIssues(value)) {
      context.addIssue({ code: 'custom', path: [issue.at], params: issue.params });
    }
  });

interface Issue {
  readonly at: keyof ImageScalingInput;
  readonly params: { readonly zh: string; readonly en: string };
}

function findIssues({ output, width, height, format }: ImageScalingInput): Issue[] {
  const issues: Issue[] = [];
  if (width === undefined && height === undefined) {
    issues.push({
      at: 'width',
      params: { zh: '宽和高至少给出一个', en: 'give width, height or both' },
    });
  }
  const named = formatOfName(output);
  if (named === null) {
    issues.push({
      at: 'output',
      params: {
        zh: '扩展名必须是 .jpg、.jpeg、.png、.webp、.gif 或 .avif',
        en: 'the extension must be .jpg, .jpeg, .png, .webp, .gif or .avif',
      },
    });
  } else if (format !== undefined && format !== named) {
    issues.push({
      at: 'format',
      params: {
        zh: `格式 ${format} 与输出的扩展名（${named}）不一致`,
        en: `the format ${format} and the extension of the output (${named}) disagree`,
      },
    });
  }
  return issues;
}
