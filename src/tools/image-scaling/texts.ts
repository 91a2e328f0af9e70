import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import type { SourceImage } from './codec.ts';
import type { ImageScalingInput, ScaledImage, ScalingNote } from './image-scaling.types.ts';

/** What the model, and people's screens, are told about a picture that was written. */
export function describeScaling(
  input: ImageScalingInput,
  result: {
    readonly source: SourceImage;
    readonly scaled: ScaledImage;
    readonly locale: Locale;
  },
): { readonly content: string; readonly details: JsonObject } {
  const { source, scaled, locale } = result;
  const { width, height, format, frames, notes } = scaled;
  const bytes = scaled.content.byteLength;
  const from = `${source.width}×${source.height} ${source.format}`;
  const to = `${width}×${height} ${format}`;
  const written =
    locale === 'zh'
      ? `已写入 ${input.output}：${to}，${bytes} 字节（原图 ${input.input}：${from}）。`
      : `Wrote ${input.output}: ${to}, ${bytes} bytes (from ${input.input}: ${from}).`;
  return {
    content: [written, ...notes.map((note) => NOTES[locale][note])].join('\n'),
    details: { output: input.output, width, height, format, frames, bytes, notes: [...notes] },
  };
}

const NOTES: Readonly<Record<Locale, Readonly<Record<ScalingNote, string>>>> = {
  zh: {
    enlargement_limited: '注意：最多放大 4 倍，所以比要求的尺寸小。',
    first_frame_only: '注意：原图是动画，只保留了第一帧。',
    reduced_to_8_bit: '注意：原图每通道 16 位，输出为 8 位。',
    transparency_on_white: '注意：JPEG 没有透明，原图若有透明处，已填成白色。',
  },
  en: {
    enlargement_limited:
      'Note: pictures are enlarged at most 4 times, so it is smaller than asked for.',
    first_frame_only: 'Note: the picture is animated; only its first frame was kept.',
    reduced_to_8_bit: 'Note: the picture has 16 bits per channel; the output has 8.',
    transparency_on_white:
      'Note: JPEG has no transparency; transparent parts, if there were any, are white now.',
  },
};
