import { type Command, sandboxOptions, section } from '../command';
import { didYouMean, failure } from '../failure';
import { answerHint, paintAnswer } from '../output';
import { connectSandbox } from '../sandbox-client';
import { line } from '../visible';

export const resend: Command = {
  name: 'resend',
  summary: 'Send a notification of the running sandbox once more; your listener must not act twice',
  arguments: [{ name: 'delivery id', isRequired: false }],
  options: sandboxOptions,
  notes: () => [section('Without an argument', 'The newest notification.')],
  async run({ args, options }) {
    const sandbox = connectSandbox(options);
    const ids = (await sandbox.deliveries()).map((delivery) => delivery.id);
    const id = args[0] ?? ids.at(-1);
    if (id === undefined) throw failure('The sandbox has sent no notification yet.');
    if (!ids.includes(id)) {
      throw failure(
        line`The sandbox has no such delivery.${didYouMean(id, ids)} \`pix-automatic-sdk list\` shows them all.`,
      );
    }
    const { httpStatus, error, durationMs } = await sandbox.redeliver(id);
    const result = paintAnswer({ httpStatus, error });
    return {
      exitCode: httpStatus === 200 ? 0 : 1,
      data: { delivery: id, httpStatus, error, durationMs },
      text: [line`Sent ${id} once more: ${result}, ${durationMs} ms`, answerHint({ httpStatus, error })]
        .join('  ')
        .trimEnd(),
    };
  },
};
