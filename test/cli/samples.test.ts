import { parseNotification } from 'pix-automatic-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { Samples } from '../../src/cli/samples';
import { requiredFields } from '../../src/cli/verify/documented-kinds';
import { documentedKinds } from '../../src/service/notifications';

describe.each(documentedKinds.map((documented) => [documented.kind, documented] as const))(
  'a sample of the kind %s',
  (kind, documented) => {
    const samples = new Samples();
    const read = () => {
      const { payload, query } = samples.of(documented);
      return parseNotification({ body: JSON.stringify(payload), url: `/?${query}` });
    };

    it('is read as this kind, and has an identity of its own', () => {
      expect(read().kind).toBe(kind);
      expect(read().key).not.toBe(read().key);
    });

    it('needs its identity and its state, and not its reason, date or receipt', () => {
      const needed = requiredFields(documented);
      expect(needed.length).toBeGreaterThan(1);
      expect(needed).not.toEqual(expect.arrayContaining(['reason', 'date', 'receipt']));
    });
  },
);
