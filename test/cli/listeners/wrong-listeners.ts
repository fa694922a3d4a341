import type { TestListener } from './listen';
import { wrongAnswers } from './wrong-answers';
import { wrongBodies, wrongReaders } from './wrong-bodies';
import { wrongCredentials } from './wrong-credentials';
import { wrongDuplicates } from './wrong-duplicates';
import { wrongKinds } from './wrong-kinds';
import { wrongMeanings } from './wrong-meanings';
import { wrongRoutes } from './wrong-routes';
import { wrongWithSandbox } from './wrong-with-sandbox';

/** A listener with a mistake, and how verify must report it. */
export interface WrongListener {
  /** Completes "A listener that …". */
  readonly does: string;
  /** The ids of exactly the checks that must fail. The first one names the mistake. */
  readonly fails: readonly string[];
  /** What the advice must say. */
  readonly advice: RegExp;
  /** The longest time for an answer, in milliseconds. Default: 5 000. */
  readonly limitMs?: number;
  /** Whether the listener asks the service, so that verify needs `--sandbox`. */
  readonly asksService?: true;
  /** @param service - the base URL of a sandbox */
  start(service: string): Promise<TestListener>;
}

/** At least one for each mistake that costs money. */
export const wrongListeners: readonly WrongListener[] = [
  ...wrongCredentials,
  ...wrongBodies,
  ...wrongReaders,
  ...wrongRoutes,
  ...wrongAnswers,
  ...wrongKinds,
  ...wrongMeanings,
  ...wrongDuplicates,
  ...wrongWithSandbox,
];
