import { CODES, explainPixCode, type PixCodeContext } from '../../pix/explain-pix-code';
import type { Command } from '../command';
import { didYouMean, failure } from '../failure';
import { say } from '../language';
import { paint } from '../output';

const contexts = Object.keys(CODES) as PixCodeContext[];

export const explain: Command = {
  name: 'explain',
  summary: 'Explain a Pix code such as AM02: what it means, and who must do what',
  arguments: [{ name: 'code', isRequired: true }],
  options: {
    context: { value: 'name', about: 'Where it was seen (default: all of them)', choices: contexts },
  },
  examples: ['explain AM02', 'explain AM02 --context charge --lang pt'],
  exitCodes: ['it worked', 'the code is not listed'],
  async run({ args, options, language }) {
    const code = (args[0] ?? '').trim().toUpperCase();
    const asked = options.oneOf('context', contexts);
    const places = asked === undefined ? contexts : [asked];
    const explanations = places.flatMap((context) => {
      const explanation = explainPixCode(code, context, language === 'pt' ? 'pt-BR' : 'en');
      return explanation === undefined ? [] : [{ context, ...explanation }];
    });
    if (explanations.length === 0) {
      const known = places.flatMap((context) => Object.keys(CODES[context]));
      const hint = /^[A-Z]{2,4}\d{1,4}$/.test(code) ? didYouMean(code, known) : '';
      throw asked === undefined
        ? failure('The code is not listed.{hint}', { hint })
        : failure('The code is not listed for `{context}`.{hint}', { context: asked, hint });
    }
    const lines = explanations.flatMap(({ context, meaning, endsCharge, who, action, source }) => [
      `${paint('bold', code)} (${context}): ${meaning}`,
      ...(endsCharge === undefined
        ? []
        : [`  ${say(endsCharge ? 'It ends the charge.' : 'Another attempt may succeed.')}`]),
      `  ${who}: ${action}`,
      paint('dim', `  ${source}`),
    ]);
    return { data: { explanations }, text: lines.join('\n') };
  },
};
