/**
 * video_videos_update: changes the given values and keeps the rest. Writes only the parts with a change.
 *
 * @see https://developers.google.com/youtube/v3/docs/videos/update
 */
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { violation } from '../../core/errors.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { given } from '../provider-call.ts';
import { readItem, settableMembers, writeItem, type ItemTarget } from './own-item.ts';

const SNIPPET = ['title', 'categoryId', 'description', 'tags', 'defaultLanguage', 'defaultAudioLanguage'];
const STATUS = [
  'privacyStatus',
  'publishAt',
  'license',
  'embeddable',
  'publicStatsViewable',
  'selfDeclaredMadeForKids',
  'containsSyntheticMedia',
];

/** Not a rule of the catalog, where false counts as not given: here it is a change. */
const NOTHING_TO_CHANGE = violation(
  '',
  'Give something to change: title with category_id, privacy_status, license, embeddable or public_stats_viewable.',
  'at_least_one_of',
);

type VideoInput = ToolInputs['video_videos_update'];

export const updateVideo: ToolHandler<VideoInput> = {
  check: (video) => (changedParts(changesOf(video)).length === 0 ? [NOTHING_TO_CHANGE] : []),
  call: async ({ input, http }) => {
    const changes = changesOf(input);
    const parts = changedParts(changes);
    const target: ItemTarget = { collection: 'videos', id: input.video_id, parts };
    const present = await readItem(http, target);
    const whole = {
      snippet: { ...settableMembers(present, 'snippet', SNIPPET), ...changes.snippet },
      status: scheduled({ ...settableMembers(present, 'status', STATUS), ...changes.status }),
    };
    return writeItem(http, target, Object.fromEntries(parts.map((part) => [part, whole[part]])));
  },
};

/** Members to set, by part of a video. */
type Changes = Readonly<Record<'snippet' | 'status', JsonObject>>;

function changesOf(video: Partial<VideoInput>): Changes {
  return {
    snippet: given({
      title: video.title,
      categoryId: video.category_id,
      description: video.description,
      defaultLanguage: video.default_language,
      tags: video.tags,
    }),
    status: given({
      privacyStatus: video.privacy_status,
      license: video.license,
      embeddable: video.embeddable,
      publicStatsViewable: video.public_stats_viewable,
    }),
  };
}

function changedParts(changes: Changes): readonly (keyof Changes)[] {
  return (['snippet', 'status'] as const).filter((part) => Object.keys(changes[part]).length > 0);
}

/** Only a private video can have a time of publication; YouTube refuses it with any other privacy. */
function scheduled({ publishAt, ...status }: JsonObject): JsonObject {
  return status['privacyStatus'] === 'private' ? given({ ...status, publishAt }) : status;
}
