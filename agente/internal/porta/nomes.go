package porta

import (
	"bytes"
	"encoding/json"
	"fmt"

	"hillvalley.example/ponte/internal/envelope"
)

// emJSON is how JSON names the fields whose names have an underscore in the
// protocol buffers. A reader of ProtoJSON takes both.
var emJSON = map[string]string{
	"accepted_output_modes":         "acceptedOutputModes",
	"context_id":                    "contextId",
	"history_length":                "historyLength",
	"include_artifacts":             "includeArtifacts",
	"media_type":                    "mediaType",
	"message_id":                    "messageId",
	"page_size":                     "pageSize",
	"page_token":                    "pageToken",
	"reference_task_ids":            "referenceTaskIds",
	"return_immediately":            "returnImmediately",
	"status_timestamp_after":        "statusTimestampAfter",
	"task_id":                       "taskId",
	"task_push_notification_config": "taskPushNotificationConfig",
}

// livres are the fields that hold whatever their writer wants: the names in
// them are not the protocol's.
var livres = map[string]bool{"metadata": true, "data": true}

// emCamelCase spells the names of fields as JSON does. A field that stands in
// both spellings is an error, since two readers could disagree on which counts.
func emCamelCase(raw json.RawMessage) (json.RawMessage, error) {
	if !bytes.ContainsRune(raw, '_') {
		return raw, nil
	}
	switch raw[0] {
	case '{':
		members, err := envelope.Members(raw)
		if err != nil {
			return nil, err
		}
		seen := make(map[string]bool, len(members))
		for i, m := range members {
			if nome, ok := emJSON[m.Name]; ok {
				members[i].Name = nome
			}
			if seen[members[i].Name] {
				return nil, fmt.Errorf("member %q stands twice", members[i].Name)
			}
			seen[members[i].Name] = true
			if !livres[m.Name] {
				if members[i].Value, err = emCamelCase(m.Value); err != nil {
					return nil, err
				}
			}
		}
		return envelope.Encode(members), nil
	case '[':
		var itens []json.RawMessage
		if err := json.Unmarshal(raw, &itens); err != nil {
			return nil, err
		}
		for i := range itens {
			var err error
			if itens[i], err = emCamelCase(itens[i]); err != nil {
				return nil, err
			}
		}
		return envelope.Marshal(itens)
	}
	return raw, nil
}
