// Writes `src/service/guards.generated.ts` from the schemas of responses and notifications: functions that confirm
// quickly that a value is exactly as documented, as nearly all values are. zod would take some microseconds for that.
// Run: npm run generate               writes the file
//      npm run generate -- --check    fails when the file does not match the schemas
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as checks from '../src/service/checks';
import * as fields from '../src/service/fields';
import { generateGuards } from './guards';
import { writeGenerated } from './write-generated';

const FILE = 'src/service/guards.generated.ts';

/** What the service sends: each schema that these folders export as `…Object` gets a guard named after it. */
const FOLDERS = ['src/service/notifications', 'src/service/operations'];

type Objects = Parameters<typeof generateGuards>[0];

function objectsOf(module: object): Objects {
  // What we send is checked once, before it is sent: a guard would save nothing.
  const objects = Object.entries(module).filter(([name]) => /(?<!Request)Object$/.test(name));
  return Object.fromEntries(
    objects.map(([name, schema]) => [
      name.charAt(0).toUpperCase() + name.slice(1, -'Object'.length),
      schema as Objects[string],
    ]),
  );
}

const modules = await Promise.all(
  FOLDERS.flatMap((folder) => readdirSync(folder).map((file) => import(join('..', folder, file)))),
);
const objects: Objects = Object.assign({}, ...modules.map(objectsOf));

writeGenerated(FILE, generateGuards(objects, objectsOf(fields), checks));
