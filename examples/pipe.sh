#!/bin/sh
# Answer one question a line, and print a table: question, answer, where it is from.
#
#     examples/pipe.sh my-index openai:gpt-4.1-mini < questions.txt > answers.tsv
set -eu
index=$1 model=$2

while IFS= read -r question; do
  hopyard ask "$question" --index "$index" --model "$model" --json </dev/null
done | python3 -c '
import json, sys
for line in sys.stdin:
    answer = json.loads(line)
    sources = "; ".join(citation["reference"] for citation in answer["citations"])
    print(answer["question"], answer["answer"], sources, sep="\t", flush=True)
'
