// Checks whether this commit can be released: a host, a dated section of the changelog, and one version everywhere.
// Run: npm run release:check [-- --tag v1.2.3]     prints what is missing, and fails
import { readFileSync } from 'node:fs';
import { VERSION } from '../src/version';

/** What a release is made from. */
export interface ReleaseFacts {
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly bin?: Readonly<Record<string, string>>;
    readonly repository?: { readonly type: string; readonly url: string };
    readonly homepage?: string;
    readonly bugs?: { readonly url: string };
    readonly author?: string;
  };
  readonly lock: {
    readonly version: string;
    readonly packages: Readonly<Record<string, { readonly version?: string } | undefined>>;
  };
  readonly sourceVersion: string;
  readonly changelog: string;
  /** The text of the workflow that publishes. */
  readonly workflow: string;
  /** The tag that is being released, if one is. */
  readonly tag: string | undefined;
}

/** Everything that prevents a release, each with what to do about it; empty if nothing does. */
export function releaseProblems(facts: ReleaseFacts): string[] {
  return [
    ...hostProblems(facts),
    ...versionProblems(facts),
    ...changelogProblems(facts),
    ...imageProblems(facts),
  ];
}

/** The repository's https URL in the manifest. It is a placeholder until there is a host. */
export function repositoryOf({ repository }: ReleaseFacts['manifest']): string {
  return /^git\+(.*)\.git$/.exec(repository?.url ?? '')?.[1] ?? '';
}

function hostProblems({ manifest }: ReleaseFacts): string[] {
  const repository = repositoryOf(manifest);
  if (!/^https:\/\/[^\s/]+\.[^\s/]+\/\S*[^\s/]$/.test(repository) || isPlaceholder(repository)) {
    return ['No host: set `repository.url` in package.json to git+https://<host>/<path>.git.'];
  }
  const expected = {
    homepage: [`${repository}#readme`, manifest.homepage],
    'bugs.url': [`${repository}/issues`, manifest.bugs?.url],
  };
  const differing = Object.entries(expected).flatMap(([field, [wanted, found]]) =>
    found === wanted ? [] : [`package.json: set \`${field}\` to ${wanted}.`],
  );
  const { author = '' } = manifest;
  const hasAuthor = author !== '' && !isPlaceholder(author);
  return hasAuthor ? differing : [...differing, 'package.json: set `author` to who publishes the package.'];
}

const isPlaceholder = (text: string) => /\bexample\b|OWNER/.test(text);

function versionProblems({ manifest, lock, sourceVersion, tag }: ReleaseFacts): string[] {
  const { version } = manifest;
  const stated: Readonly<Record<string, string | undefined>> = {
    'package-lock.json': lock.version,
    'package-lock.json, its root package': lock.packages['']?.version,
    'src/version.ts': sourceVersion,
    ...(tag === undefined ? {} : { 'the tag, without its v': tag.replace(/^v/, '') }),
  };
  return Object.entries(stated).flatMap(([where, found]) =>
    found === version ? [] : [`package.json has version ${version}, and ${where} has ${found}.`],
  );
}

function changelogProblems({ manifest, changelog }: ReleaseFacts): string[] {
  const { version } = manifest;
  const heading = changelog.split('\n').find((line) => line.startsWith(`## [${version}]`));
  if (heading === undefined) return [`CHANGELOG.md has no section \`## [${version}] - yyyy-MM-dd\`.`];
  const [, date] = /^## \[[^\]]+\] - (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? [];
  if (date === undefined || new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) !== date) {
    return [`CHANGELOG.md: give the section ${version} its date, \`## [${version}] - yyyy-MM-dd\`.`];
  }
  return [];
}

/** A tag of an image can be moved to other code, as one of an action can. */
function imageProblems({ workflow }: ReleaseFacts): string[] {
  const images = Array.from(workflow.matchAll(/^\s*container: *(\S+)/gm), ([, image = '']) => image);
  return images
    .filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))
    .map(
      (image) =>
        `release.yml runs in the image ${image}, without its digest: write ${image}@sha256:…, as ` +
        `\`docker buildx imagetools inspect ${image}\` prints it.`,
    );
}

if (process.argv[1]?.endsWith('check-release.ts')) {
  const tagAt = process.argv.indexOf('--tag');
  const problems = releaseProblems({
    manifest: JSON.parse(readFileSync('package.json', 'utf8')),
    lock: JSON.parse(readFileSync('package-lock.json', 'utf8')),
    sourceVersion: VERSION,
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
    workflow: readFileSync('.github/workflows/release.yml', 'utf8'),
    tag: tagAt === -1 ? undefined : (process.argv[tagAt + 1] ?? ''),
  });

  for (const problem of problems) console.error(`- ${problem}`);
  if (problems.length > 0) process.exit(1);
  console.log(`${VERSION} can be released.`);
}
