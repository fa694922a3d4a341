// Compiled, never run: an option of a control that nothing would use does not compile.
import { control, flagField, textField } from '../../src/sandbox/controls/control';

const run = () => undefined;
const fields = { reason: textField('field.reason'), complete: flagField('pay.label') };

control({
  name: 'pay',
  endpoint: 'POST /pay/:id',
  subject: 'journey',
  done: 'pay.done',
  fields,
  argument: 'reason',
  run,
});

// @ts-expect-error nothing chooses a subject for a path without `:id`
control({ name: 'pay', endpoint: 'POST /pay', subject: 'journey', run });

// @ts-expect-error nothing would fill `:id`
control({ name: 'pay', endpoint: 'POST /pay/:id', run });

// @ts-expect-error what lists prints as `list` does
control({ name: 'pay', endpoint: 'GET /pay', done: 'pay.done', run });

// @ts-expect-error `list` is what to type
control({ name: 'pay', endpoint: 'GET /pay', typed: 'pay', run });

// @ts-expect-error the command of its own prints in its own words
control({ name: 'pay', endpoint: 'POST /pay', typed: 'fault', done: 'pay.done', run });

// @ts-expect-error the command of its own prints its own data
control({ name: 'pay', endpoint: 'POST /pay', typed: 'fault', data: (result) => result, run });

// @ts-expect-error no such field
control({ name: 'pay', endpoint: 'POST /pay', fields, argument: 'amount', run });

// @ts-expect-error there are no fields
control({ name: 'pay', endpoint: 'POST /pay', argument: 'amount', run });

control({
  name: 'pay',
  endpoint: 'POST /pay',
  fields,
  // @ts-expect-error a text is no switch
  oneOf: { flags: ['complete', 'reason'], label: ['a', 'b'], none: ['a', 'b'] },
  run,
});

// @ts-expect-error no such option
control({ name: 'pay', endpoint: 'POST /pay', hint: 'pay', run });
