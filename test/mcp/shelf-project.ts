/** A project with catalog files of its own: connectors that need no account, at the stand-in of real-processes.ts. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeProject, type Project } from './real-processes.ts';

export interface ShelfProject extends Project {
  /** Path of a catalog file. */
  file: (path: string) => string;
  /** Writes as editors do: a new file that then replaces the old one. */
  replaceFile: (path: string, text: string) => void;
  /** connector.yaml of a connector without credentials. */
  connector: (name: string) => string;
}

/** A toolset with one tool that sends its query to the stand-in, which answers `… asked <query>`. */
export const shelfTool = (connector: string, tool: string, title: string): string => `connector: ${connector}
tools:
  - name: ${tool}
    title: ${title}
    description: Finds what is on a shelf, by words.
    effect: read
    source:
      url: https://shelf.example/docs
      checked: '2026-11-20'
    parameters:
      query:
        type: string
        to: body.query
        description: Words.
    request:
      method: POST
      path: /search
`;

/** The connector `shelf` with the tool `shelf_find`, in the folder `catalog`. */
export async function makeShelfProject(): Promise<ShelfProject> {
  const project = await makeProject();
  const config = join(project.dir, 'gatehouse.yaml');
  const settings = readFileSync(config, 'utf8');
  const address = /base_url: "([^"]+)"/.exec(settings)![1]!;
  writeFileSync(config, `${settings}catalog_dirs: [catalog]\n`);
  const file = (path: string): string => join(project.dir, 'catalog', path);
  const connector = (name: string): string => `name: ${name}
title: Shelf
description: Finds what is on a shelf.
hosts:
  - url: ${address}
auth:
  - type: NO_AUTH
`;
  const replaceFile = (path: string, text: string): void => {
    mkdirSync(dirname(file(path)), { recursive: true });
    writeFileSync(file(`${path}.tmp`), text);
    renameSync(file(`${path}.tmp`), file(path));
  };
  replaceFile('shelf/connector.yaml', connector('shelf'));
  replaceFile('shelf/find.yaml', shelfTool('shelf', 'shelf_find', 'Find'));
  return { ...project, file, replaceFile, connector };
}
