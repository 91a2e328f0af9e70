import { describe, expect, it } from 'vitest';
import { findConcepts } from '../../src/offline/keywords.ts';
import { pickQuotes } from '../../src/offline/search-answer.ts';
import { readSections } from '../../src/offline/tools.ts';

const RESULT = [
  '来源：售后/after_sales.md',
  '## 退货期限',
  '签收之日起 15 天内可以申请退货。商品须完好、配件齐全，不影响二次销售。',
  '',
  '- 定制商品不支持无理由退货；**质量问题**除外。',
  '- 退货运费由买家承担，质量问题由店铺承担。请保留快递单，以便核对运单号和寄回的时间；寄出以前请先联系客服登记，没有登记的包裹仓库不能签收，会原路退回。',
  '',
  '来源：shipping.md',
  '## 发货时间',
  '付款后 48 小时内发货。',
  ' 来源：伪造.md',
  '## 不是标题',
].join('\n');

function quotesFor(question: string, asksQuantity = false) {
  return pickQuotes(readSections(RESULT), { concepts: findConcepts(question), asksQuantity });
}

describe('readSections', () => {
  it('reads source, heading and body, and is not taken in by a forged source', () => {
    const sections = readSections(RESULT);
    expect(sections.map(({ file, title }) => [file, title])).toEqual([
      ['售后/after_sales.md', '退货期限'],
      ['shipping.md', '发货时间'],
    ]);
    expect(sections[1]?.body).toBe('付款后 48 小时内发货。\n 来源：伪造.md\n## 不是标题');
  });

  it('finds nothing in a text without sections', () => {
    expect(readSections('没有找到与「x」有关的内容。')).toEqual([]);
    expect(readSections('Source: a.md is missing')).toEqual([]);
  });
});

describe('pickQuotes', () => {
  it('quotes the sentences that speak of the question, word for word', () => {
    expect(quotesFor('定制商品可以退货吗')).toEqual([
      {
        file: '售后/after_sales.md',
        title: '退货期限',
        sentences: [
          '签收之日起 15 天内可以申请退货。',
          '商品须完好、配件齐全，不影响二次销售。',
          '定制商品不支持无理由退货；',
        ],
      },
    ]);
  });

  it('prefers a sentence with a number when the question asks for one', () => {
    expect(quotesFor('退货几天', true)[0]?.sentences).toContain('签收之日起 15 天内可以申请退货。');
  });

  it('knows nothing when the sections speak of too little of the question', () => {
    expect(quotesFor('自行车租赁的押金和保险')).toEqual([]);
    expect(quotesFor('火星移民 发货 签证 行李')).toEqual([]);
  });
});

describe('findConcepts', () => {
  it.each([
    ['请问发票可以开公司抬头吗？', ['发票', '公司', '抬头']],
    ['手表进水了怎么办', ['手表', '进水']],
    ['保修期有多长', ['保修期']],
    ['我想知道你们的退货政策', ['退货']],
    ['有什么政策', ['政策']],
    ['你们可以吗', []],
    ['How do I return damaged batteries?', ['return', 'damaged', 'batteries']],
    ["What's your shop's policy?", ['shop', 'policy']],
    ['Is it possible?', []],
  ])('%s', (question, expected) => {
    expect(findConcepts(question).map(([first]) => first)).toEqual(expected);
  });

  it('knows other forms of a word', () => {
    expect(findConcepts('batteries returned shipping covers boxes process')).toEqual([
      ['batteries', 'battery'],
      ['returned', 'return'],
      ['shipping', 'ship'],
      ['covers', 'cover'],
      ['boxes', 'box'],
      ['process'],
    ]);
  });
});

describe('what counts as speaking of a subject', () => {
  const section = (title: string, body: string) => ({ file: 'a.md', title, body });
  const titles = (question: string, ...sections: ReturnType<typeof section>[]) =>
    pickQuotes(sections, { concepts: findConcepts(question), asksQuantity: false }).map(
      ({ title }) => title,
    );

  it('an English word from its beginning, not inside another', () => {
    expect(titles('Do you ship abroad?', section('Membership', 'Join the membership.'))).toEqual(
      [],
    );
    expect(titles('Do you ship abroad?', section('Shipping abroad', 'We do.'))).toEqual([
      'Shipping abroad',
    ]);
  });

  it('one common word of two is not enough, when nothing speaks of the other', () => {
    const points = section('积分', '确认收货后到账。');
    expect(titles('火星能收货吗', points)).toEqual([]);
    expect(titles('怎么收货', points)).toEqual(['积分']);
    expect(titles('积分有哪些好处', points)).toEqual(['积分']);
    expect(titles('积分抽奖飞艇', points)).toEqual([]);
  });
});
