"""Reads a scrape from standard input as Prometheus does, and prints its families as JSON:
{name: {type, samples: [[name, labels, value]]}}. What is not well formed is an error."""
import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = {}
for family in text_string_to_metric_families(sys.stdin.read()):
    name = f"{family.name}_total" if family.type == "counter" else family.name
    if name in families:
        sys.exit(f"{name} is there twice")
    if not family.documentation or family.type == "unknown":
        sys.exit(f"{name} says not what it is")
    samples = [[one.name, one.labels, one.value] for one in family.samples]
    places = [json.dumps(one[:2], sort_keys=True) for one in samples]
    if len(set(places)) < len(places):
        sys.exit(f"{name} has a sample twice")
    families[name] = {"type": family.type, "samples": samples}
print(json.dumps(families))
