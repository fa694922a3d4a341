import { type Command, sandboxOptions, section } from '../command';
import { didYouMean, failure } from '../failure';
import { say } from '../language';
import { answerHint, paintAnswer } from '../output';
import { connectSandbox } from '../sandbox-client';

export const resend: Command = {
  name: 'resend',
  summary: 'resend.summary',
  arguments: [{ name: 'value.delivery', isRequired: false }],
  options: sandboxOptions,
  notes: () => [section('help.withoutArgument', say('resend.newest'))],
  async run({ args, options }) {
    const sandbox = connectSandbox(options);
    const ids = (await sandbox.deliveries()).map((delivery) => delivery.id);
    const id = args[0] ?? ids.at(-1);
    if (id === undefined) throw failure('resend.none');
    if (!ids.includes(id)) {
      throw failure('resend.unknown', {
        hint: didYouMean(id, ids),
      });
    }
    const { httpStatus, error, durationMs } = await sandbox.redeliver(id);
    const result = paintAnswer({ httpStatus, error });
    return {
      exitCode: httpStatus === 200 ? 0 : 1,
      data: { delivery: id, httpStatus, error, durationMs },
      text: [say('resend.sent', { id, result, durationMs }), answerHint({ httpStatus, error })]
        .join('  ')
        .trimEnd(),
    };
  },
};
