import { wrongInExpress } from './styles/express';
import { wrongInFastify } from './styles/fastify';
import { wrongWithLibrary } from './styles/library';
import { wrongInNext } from './styles/nextjs';
import { wrongInPhp } from './styles/php';
import { wrongInPlainNode } from './styles/plain';
import { hasPython, wrongInPython } from './styles/python';
import { wrongRouteHandlers } from './styles/routes';
import type { WrongListener } from './verify-listener';
import { wrongAnswers } from './wrong-answers';
import { wrongBodies, wrongReaders } from './wrong-bodies';
import { wrongCredentials } from './wrong-credentials';
import { wrongDuplicates } from './wrong-duplicates';
import { wrongKinds } from './wrong-kinds';
import { wrongMeanings } from './wrong-meanings';
import { wrongReturns } from './wrong-returns';
import { wrongRoutes } from './wrong-routes';
import { wrongWithSandbox } from './wrong-with-sandbox';

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
  ...wrongReturns,
  ...wrongWithSandbox,
  // Written as merchants write them, by somebody who did not know how `verify` looks.
  ...wrongInExpress,
  ...wrongInFastify,
  ...wrongInNext,
  ...wrongRouteHandlers,
  ...wrongInPhp,
  ...wrongInPlainNode,
  ...wrongWithLibrary,
  ...(hasPython ? wrongInPython : []),
];
