import type { PixLocale } from '../../pix/advice';
import { CODES, explainPixCode, type PixCodeContext } from '../../pix/explain-pix-code';
import type { Command } from '../command';
import { CliFailure, didYouMean } from '../failure';
import { jsonOption } from '../options';
import { paint, print, printJson } from '../output';

const contexts = Object.keys(CODES) as PixCodeContext[];
const locales: readonly PixLocale[] = ['pt-BR', 'en'];

export const explain: Command = {
  name: 'explain',
  summary: 'Explain a Pix code such as AM02: what it means, and who must do what',
  arguments: [{ name: 'code', isRequired: true }],
  options: {
    context: {
      value: 'name',
      about: `Where it was seen: ${contexts.join(', ')} (default: all of them)`,
    },
    locale: { value: 'name', about: 'pt-BR or en (default: by LANG)' },
    json: jsonOption,
  },
  examples: ['explain AM02', 'explain AM02 --context charge --locale pt-BR'],
  exitCodes: ['explained', 'the code is not listed'],
  async run({ args, options }) {
    const code = (args[0] ?? '').trim().toUpperCase();
    const asked = options.oneOf('context', contexts);
    const locale =
      options.oneOf('locale', locales) ?? (process.env['LANG']?.startsWith('pt') ? 'pt-BR' : 'en');
    const explanations = (asked === undefined ? contexts : [asked]).flatMap((context) => {
      const explanation = explainPixCode(code, context, locale);
      return explanation === undefined ? [] : [{ context, ...explanation }];
    });
    if (explanations.length === 0) throw new CliFailure(1, notListed(code, asked));
    if (options.has('json')) printJson({ explanations }, 2);
    else {
      for (const { context, meaning, endsCharge, who, action, source } of explanations) {
        print(`${paint('bold', code)} (${context}): ${meaning}`);
        if (endsCharge !== undefined)
          print(`  ${endsCharge ? 'It ends the charge.' : 'Another attempt may succeed.'}`);
        print(`  ${who}: ${action}`);
        print(paint('dim', `  ${source}`));
      }
    }
    return 0;
  },
};

function notListed(code: string, asked: PixCodeContext | undefined): string {
  const known = (asked === undefined ? contexts : [asked]).flatMap((context) => Object.keys(CODES[context]));
  const where = asked === undefined ? '' : ` for \`${asked}\``;
  return `The code is not listed${where}.${/^[A-Z]{2,4}\d{1,4}$/.test(code) ? didYouMean(code, known) : ''}`;
}
