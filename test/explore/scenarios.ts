import type { Library } from './library';
import type { Scenario } from './search';
import { memoryStore } from './stores/memory';

const ALL = { crash: true, stop: true, lose: true, slow: true, throw: true, hang: true, cut: true };

export function scenarios(library: Library): Scenario[] {
  return [
    {
      name: 'two deliveries of one state',
      library,
      openStore: memoryStore(library),
      deliveries: [
        { state: 'PAID', process: 1 },
        { state: 'PAID', process: 2 },
      ],
      hazards: { faults: 2, ...ALL },
    },
  ];
}
