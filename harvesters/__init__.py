"""Read the transcripts of coding agents into plain records. Usable without sleepd: `python -m harvesters AGENT FILE`"""
