/**
 * video_captions_download: the text of a caption track. YouTube answers with a file, which becomes a member of an
 * object, so that a model can read a long one in parts.
 *
 * @see https://developers.google.com/youtube/v3/docs/captions/download
 */
import { pathSegment, pathViolations } from '../../catalog/call/request.ts';
import type { ToolHandler } from '../../catalog/model/types.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { get, queryOf } from '../provider-call.ts';

export const downloadCaption: ToolHandler<ToolInputs['video_captions_download']> = {
  check: ({ caption_id }) => pathViolations(caption_id, 'caption_id'),
  call: async ({ input, http }) => {
    const { caption_id, format, language } = input;
    const path = `/youtube/v3/captions/${pathSegment(caption_id, 'caption_id')}`;
    const text = await http.send({
      ...get(path, queryOf({ tfmt: format, tlang: language })),
      answer: 'text',
    });
    return { text };
  },
};
